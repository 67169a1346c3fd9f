package redisclaim

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/stored"
)

// minTTL is how long a finished claim lives at least, whatever its ExpireAt.
const minTTL = time.Hour

// Store implements claim.Store and claim.Lister.
type Store struct {
	convoy  *convoy
	client  redis.UniversalClient
	keys    keys
	scripts scripts
}

var (
	_ claim.Store  = (*Store)(nil)
	_ claim.Lister = (*Store)(nil)
)

// New returns a store whose keys begin with prefix. It does no I/O; the client
// stays the caller's to close.
func New(client redis.UniversalClient, prefix string) (*Store, error) {
	k, err := newKeys(client, prefix)
	if err != nil {
		return nil, fmt.Errorf("open Redis claim store: %w", err)
	}
	return &Store{convoy: &convoy{client: client}, client: client, keys: k, scripts: newScripts()}, nil
}

// Create implements claim.Store. Where a record stands it comes along, read in the
// same step, unless it can't be read.
func (s *Store) Create(ctx context.Context, r claim.Record) (claim.Stored, error) {
	got, err := s.write(ctx, s.keys.create(r.ID, r.State), "", r)
	if err != nil {
		return got, fmt.Errorf("create claim: %w", err)
	}
	return got, nil
}

// Swap implements claim.Store.
func (s *Store) Swap(ctx context.Context, id, version string, r claim.Record) (claim.Stored, error) {
	if r.ID != id {
		return claim.Stored{}, errors.New("swap claim: the record has another ID")
	}
	if version == "" { // no record has it, and to the script it means create
		version = "none"
	}
	got, err := s.write(ctx, s.keys.swap(r.ID, r.State), version, r)
	if err != nil {
		return claim.Stored{}, fmt.Errorf("swap claim: %w", err)
	}
	return got, nil
}

func (s *Store) write(ctx context.Context, touched []string, version string, r claim.Record) (claim.Stored, error) {
	json, err := stored.EncodeRecord(r)
	if err != nil {
		return claim.Stored{}, err
	}
	answer, err := s.convoy.run(ctx, s.scripts.write, touched,
		r.ID, version, json, string(indexed(r.State)), expiry(r), minTTL.Microseconds())
	if redis.HasErrorPrefix(err, "OOM") {
		return claim.Stored{}, fmt.Errorf("%w: %w", claim.ErrFull, err)
	}
	if err != nil {
		return claim.Stored{}, err
	}
	switch answer := answer.(type) {
	case []any:
		return exists(r.ID, answer)
	case string:
		return written(r, answer)
	}
	return claim.Stored{}, fmt.Errorf("the script answered a %T", answer)
}

// exists answers a create that found something.
func exists(id string, answer []any) (claim.Stored, error) {
	found, err := readables([]string{id}, answer)
	if err != nil {
		return claim.Stored{}, err
	}
	if len(found) == 0 || found[0].err != nil {
		return claim.Stored{}, claim.ErrExists
	}
	return found[0].Stored, claim.ErrExists
}

func written(r claim.Record, answer string) (claim.Stored, error) {
	switch answer {
	case "absent":
		return claim.Stored{}, claim.ErrNotFound
	case "changed":
		return claim.Stored{}, claim.ErrConflict
	}
	at, err := instant(answer)
	if err != nil {
		return claim.Stored{}, err
	}
	return claim.Stored{Record: r, Version: answer, Written: at, Now: at}, nil
}

// expiry is when the record goes, in microseconds since 1970: 0 for states that
// never do, -1 for a record that doesn't though its state may.
func expiry(r claim.Record) int64 {
	switch {
	case r.State != claim.Done && r.State != claim.Dead:
		return 0
	case r.ExpireAt.IsZero():
		return -1
	default:
		return max(r.ExpireAt.UnixMicro(), 1)
	}
}

// Get implements claim.Store.
func (s *Store) Get(ctx context.Context, id string) (claim.Stored, error) {
	found, err := s.read(ctx, []string{id})
	if err != nil {
		return claim.Stored{}, fmt.Errorf("get claim: %w", lasting(err))
	}
	if len(found) == 0 {
		return claim.Stored{}, claim.ErrNotFound
	}
	return found[0].Stored, found[0].err
}

// instant reads a time as the scripts answer it.
func instant(micros string) (time.Time, error) {
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("read store time: %w", err)
	}
	return time.UnixMicro(n).UTC(), nil
}
