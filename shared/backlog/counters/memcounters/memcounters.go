// Package memcounters keeps counters in memory, for local runs and tests. They
// are lost with the process.
package memcounters

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"onceway.internal/shared/backlog/counters"
)

// Store is a counters.Store in memory.
type Store struct {
	now func() time.Time
	mu  sync.Mutex
	all map[string]counters.Counter
	has map[string]bool // exists as a counter, not just with notes
}

// New returns an empty Store with a clock.
func New(now func() time.Time) (*Store, error) {
	if now == nil {
		return nil, errors.New("counters in memory need a clock")
	}
	return &Store{now: now, all: map[string]counters.Counter{}, has: map[string]bool{}}, nil
}

// Add adds to a counter. See counters.Store, for all methods.
func (s *Store) Add(_ context.Context, name string, n int64) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.all[name]
	c.Count += n
	s.all[name], s.has[name] = c, true
	return c.Count, nil
}

// Read answers with the counters that exist.
func (s *Store) Read(_ context.Context, names []string) (map[string]counters.Counter, time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[string]counters.Counter{}
	for _, name := range names {
		if s.has[name] {
			c := s.all[name]
			c.Notes = slices.Clone(c.Notes)
			found[name] = c
		}
	}
	return found, s.now(), nil
}

// Note keeps what was read.
func (s *Store) Note(_ context.Context, at time.Time, counts map[string]int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, n := range counts {
		c := s.all[name]
		c.Notes = append(c.Notes, counters.Note{At: at, Count: n})
		c.Notes = slices.DeleteFunc(c.Notes, func(n counters.Note) bool { return at.Sub(n.At) > counters.KeepNotes })
		c.Notes = c.Notes[max(0, len(c.Notes)-counters.MaxNotes):]
		s.all[name] = c
	}
	return nil
}

// Correct adds to a counter once for a figure.
func (s *Store) Correct(_ context.Context, name string, by int64, sampled time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.all[name]
	if !c.Corrected.Before(sampled) {
		return false, nil
	}
	c.Count += by
	c.Corrected = s.now()
	s.all[name], s.has[name] = c, true
	return true, nil
}

// Create sets a counter that is absent.
func (s *Store) Create(_ context.Context, name string, count int64) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.has[name] {
		return false, nil
	}
	c := s.all[name]
	c.Count, c.Corrected = count, s.now()
	s.all[name], s.has[name] = c, true
	return true, nil
}
