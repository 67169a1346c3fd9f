package pgclaim

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/stored"
)

// Store implements claim.Store and claim.Lister.
type Store struct {
	pool *pgxpool.Pool
}

var (
	_ claim.Store  = (*Store)(nil)
	_ claim.Lister = (*Store)(nil)
)

// New brings the schema up to date and returns a store. The pool stays the
// caller's to close.
func New(ctx context.Context, pool *pgxpool.Pool) (*Store, error) {
	if err := prepare(ctx, pool); err != nil {
		return nil, fmt.Errorf("open PostgreSQL claim store: %w", lasting(err))
	}
	return &Store{pool: pool}, nil
}

const create = `
INSERT INTO onceway_claims (id, version, written_at, state, expire_at, record)
VALUES ($1, nextval('onceway_claim_versions'), clock_timestamp(), $2, $3, $4)
ON CONFLICT (id) DO NOTHING
RETURNING version, written_at`

// Create implements claim.Store.
func (s *Store) Create(ctx context.Context, r claim.Record) (claim.Stored, error) {
	json, err := stored.EncodeRecord(r)
	if err != nil {
		return claim.Stored{}, err
	}
	var version int64
	var written time.Time
	err = s.pool.QueryRow(ctx, create, r.ID, word(r.State), expiry(r), string(json)).Scan(&version, &written)
	if errors.Is(err, pgx.ErrNoRows) {
		return claim.Stored{}, claim.ErrExists
	}
	if err != nil {
		return claim.Stored{}, fmt.Errorf("create claim: %w", err)
	}
	return answer(r, version, written), nil
}

const get = `SELECT version, written_at, clock_timestamp(), record::text FROM onceway_claims WHERE id = $1`

// Get implements claim.Store.
func (s *Store) Get(ctx context.Context, id string) (claim.Stored, error) {
	r, err := scan(s.pool.QueryRow(ctx, get, id), id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return claim.Stored{}, claim.ErrNotFound
	case err != nil && !errors.Is(err, claim.ErrUnreadable):
		return claim.Stored{}, fmt.Errorf("get claim: %w", err)
	}
	return r, err
}

// swap answers with a row that has no new version where the row is there but
// its version is another, and with none where it is not there. In the moment of
// a deletion both are true; either answer will do.
const swap = `
WITH swapped AS (
	UPDATE onceway_claims SET version = nextval('onceway_claim_versions'),
		written_at = greatest(clock_timestamp(), written_at), state = $3, expire_at = $4, record = $5
	WHERE id = $1 AND version = $2
	RETURNING version, written_at)
SELECT version, written_at FROM swapped
UNION ALL
SELECT NULL, NULL FROM onceway_claims WHERE id = $1 AND NOT EXISTS (SELECT FROM swapped)`

// Swap implements claim.Store.
func (s *Store) Swap(ctx context.Context, id, version string, r claim.Record) (claim.Stored, error) {
	if r.ID != id {
		return claim.Stored{}, errors.New("swap claim: the record has another ID")
	}
	json, err := stored.EncodeRecord(r)
	if err != nil {
		return claim.Stored{}, err
	}
	expected, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		expected = 0 // no row ever had it
	}
	var next *int64
	var written *time.Time
	err = s.pool.QueryRow(ctx, swap, id, expected, word(r.State), expiry(r), string(json)).Scan(&next, &written)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return claim.Stored{}, claim.ErrNotFound
	case err != nil:
		return claim.Stored{}, fmt.Errorf("swap claim: %w", err)
	case next == nil || written == nil:
		return claim.Stored{}, claim.ErrConflict
	}
	return answer(r, *next, *written), nil
}

// answer is what a write answers, without reading back.
func answer(r claim.Record, version int64, written time.Time) claim.Stored {
	return claim.Stored{Record: r, Version: strconv.FormatInt(version, 10), Written: written.UTC(), Now: written.UTC()}
}

// scan reads version, written_at, the time now and the record.
func scan(row pgx.Row, id string) (claim.Stored, error) {
	var version int64
	var written, now time.Time
	var json string
	if err := row.Scan(&version, &written, &now, &json); err != nil {
		return claim.Stored{}, err
	}
	r, err := stored.DecodeRecord(id, []byte(json))
	s := answer(r, version, written)
	if now.After(written) { // else the clock stepped back since the write
		s.Now = now.UTC()
	}
	return s, err
}

// expiry is when Cleanup may take the row; nil is never.
func expiry(r claim.Record) *time.Time {
	if r.ExpireAt.IsZero() || r.State != claim.Done && r.State != claim.Dead {
		return nil
	}
	return &r.ExpireAt
}

// word is the state as the column holds it; what is no state could be any bytes.
func word(s claim.State) string {
	if !s.Known() {
		return ""
	}
	return string(s)
}
