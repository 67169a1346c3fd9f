// Package memgroups keeps the live state of groups in memory: for development
// and tests. What it holds ends with the process.
package memgroups

import (
	"context"
	"strconv"
	"sync"
	"time"

	"onceway.internal/shared/groups"
)

// Store implements groups.Store.
type Store struct {
	now func() time.Time

	mu      sync.Mutex
	live    groups.Live
	version int64
}

var _ groups.Store = (*Store)(nil)

// New returns an empty store whose time is now's.
func New(now func() time.Time) *Store {
	if now == nil {
		panic("memgroups: no clock")
	}
	return &Store{now: now}
}

// Load answers with a copy.
func (s *Store) Load(ctx context.Context) (groups.Live, error) {
	if err := ctx.Err(); err != nil {
		return groups.Live{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answer(), nil
}

// Swap replaces the state if nobody was faster.
func (s *Store) Swap(ctx context.Context, l groups.Live) (groups.Live, error) {
	if err := ctx.Err(); err != nil {
		return groups.Live{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.Version != s.name() {
		return groups.Live{}, groups.ErrConflict
	}
	s.live = l.Clone()
	s.version++
	return s.answer(), nil
}

func (s *Store) answer() groups.Live {
	l := s.live.Clone()
	l.Version, l.ReadAt = s.name(), s.now().UTC()
	return l
}

func (s *Store) name() string {
	if s.version == 0 {
		return ""
	}
	return strconv.FormatInt(s.version, 10)
}
