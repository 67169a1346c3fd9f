package redisclaim

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"onceway.internal/shared/claim/stored"
	"onceway.internal/shared/letter"
)

// Letters implements letter.Store.
type Letters struct {
	client  redis.UniversalClient
	keys    keys
	scripts scripts
}

var _ letter.Store = (*Letters)(nil)

// NewLetters returns a store whose keys begin with prefix. It does no I/O; the
// client stays the caller's to close.
func NewLetters(client redis.UniversalClient, prefix string) (*Letters, error) {
	k, err := newKeys(client, prefix)
	if err != nil {
		return nil, fmt.Errorf("open Redis letter store: %w", err)
	}
	return &Letters{client: client, keys: k, scripts: newScripts()}, nil
}

// Put implements letter.Store. Head, body and index are written at once.
func (s *Letters) Put(ctx context.Context, l letter.Letter) error {
	head, err := stored.EncodeLetter(l)
	if err != nil {
		return fmt.Errorf("put letter: %w", err)
	}
	if err := s.scripts.put.Run(ctx, s.client, s.touched(l.ID), l.ID, head, l.Data).Err(); err != nil {
		return fmt.Errorf("put letter: %w", err)
	}
	return nil
}

// Get implements letter.Store.
func (s *Letters) Get(ctx context.Context, id string) (letter.Letter, error) {
	fields, err := s.client.HMGet(ctx, s.keys.letter(id), "at", "head", "data").Result()
	if err != nil {
		return letter.Letter{}, fmt.Errorf("get letter: %w", err)
	}
	if fields[0] == nil {
		return letter.Letter{}, letter.ErrNotFound
	}
	l, err := decodeHead(id, fields)
	if err != nil {
		return letter.Letter{}, err
	}
	data, ok := fields[2].(string)
	if !ok {
		return letter.Letter{}, fmt.Errorf("get letter %s: it has no body", id)
	}
	l.Data = []byte(data)
	return l, nil
}

// Delete implements letter.Store.
func (s *Letters) Delete(ctx context.Context, id string) error {
	if err := s.scripts.delete.Run(ctx, s.client, s.touched(id), id).Err(); err != nil {
		return fmt.Errorf("delete letter: %w", err)
	}
	return nil
}

func (s *Letters) touched(id string) []string {
	return []string{s.keys.letter(id), s.keys.stored(bucket(id, letterBuckets))}
}

// decodeHead reads the fields "at" and "head".
func decodeHead(id string, fields []any) (letter.Letter, error) {
	micros, _ := fields[0].(string)
	head, _ := fields[1].(string)
	l, err := stored.DecodeLetter(id, []byte(head))
	at, errAt := instant(micros)
	if err := errors.Join(err, errAt); err != nil {
		return letter.Letter{ID: id}, fmt.Errorf("read letter %s: %w", id, err)
	}
	l.StoredAt = at
	return l, nil
}
