package memclaim

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"onceway.internal/shared/claim"
)

// Store implements claim.Store and claim.Lister. Its methods never block for
// longer than another call takes.
type Store struct {
	now      func() time.Time
	capacity int

	mu      sync.Mutex
	content content
}

var (
	_ claim.Store  = (*Store)(nil)
	_ claim.Lister = (*Store)(nil)
)

// New returns an empty store that holds at most capacity records and takes its
// time from now. The clock may step back: the store's time does not.
func New(capacity int, now func() time.Time) (*Store, error) {
	if capacity < 1 {
		return nil, errors.New("memory claim store: capacity is below 1")
	}
	if now == nil {
		return nil, errors.New("memory claim store: clock is nil")
	}
	return &Store{now: now, capacity: capacity, content: newContent()}, nil
}

// Create implements claim.Store.
func (s *Store) Create(ctx context.Context, r claim.Record) (claim.Stored, error) {
	if err := ctx.Err(); err != nil {
		return claim.Stored{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.content.entries[r.ID]; ok {
		return claim.Stored{}, claim.ErrExists
	}
	if len(s.content.entries) >= s.capacity && !s.content.evict() {
		return claim.Stored{}, claim.ErrFull
	}
	return s.content.write(r, s.now()), nil
}

// Get implements claim.Store.
func (s *Store) Get(ctx context.Context, id string) (claim.Stored, error) {
	if err := ctx.Err(); err != nil {
		return claim.Stored{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.content.entries[id]
	if !ok {
		return claim.Stored{}, claim.ErrNotFound
	}
	return e.stored(s.content.tick(s.now())), nil
}

// Swap implements claim.Store.
func (s *Store) Swap(ctx context.Context, id, version string, r claim.Record) (claim.Stored, error) {
	if err := ctx.Err(); err != nil {
		return claim.Stored{}, err
	}
	if r.ID != id {
		return claim.Stored{}, errors.New("swap claim: the record has another ID")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.content.entries[id]
	if !ok {
		return claim.Stored{}, claim.ErrNotFound
	}
	if strconv.FormatUint(e.seq, 10) != version {
		return claim.Stored{}, claim.ErrConflict
	}
	return s.content.write(r, s.now()), nil
}

// Len returns how many records are held.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.content.entries)
}
