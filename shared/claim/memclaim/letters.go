package memclaim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"onceway.internal/shared/letter"
)

// Letters implements letter.Store.
type Letters struct {
	now      func() time.Time
	capacity int

	mu   sync.Mutex
	held map[string]heldLetter
	seq  uint64
}

type heldLetter struct {
	letter letter.Letter
	seq    uint64
}

var _ letter.Store = (*Letters)(nil)

// NewLetters returns an empty store that holds at most capacity letters.
func NewLetters(capacity int, now func() time.Time) (*Letters, error) {
	if capacity < 1 {
		return nil, errors.New("memory letter store: capacity is below 1")
	}
	if now == nil {
		return nil, errors.New("memory letter store: clock is nil")
	}
	return &Letters{now: now, capacity: capacity, held: map[string]heldLetter{}}, nil
}

// Put implements letter.Store.
func (s *Letters) Put(ctx context.Context, l letter.Letter) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.held[l.ID]; !ok && len(s.held) >= s.capacity {
		return fmt.Errorf("put letter: store is full of %d letters", s.capacity)
	}
	l = ownLetter(l)
	l.StoredAt = s.now()
	s.seq++
	s.held[l.ID] = heldLetter{letter: l, seq: s.seq}
	return nil
}

// Get implements letter.Store.
func (s *Letters) Get(ctx context.Context, id string) (letter.Letter, error) {
	if err := ctx.Err(); err != nil {
		return letter.Letter{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.held[id]
	if !ok {
		return letter.Letter{}, letter.ErrNotFound
	}
	return ownLetter(h.letter), nil
}

// List implements letter.Store, newest first.
func (s *Letters) List(ctx context.Context, page string, limit int) ([]letter.Letter, string, error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	before, err := listFrom(page, limit, letter.ErrPage)
	if err != nil {
		return nil, "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []heldLetter
	for h := range maps.Values(s.held) {
		if page == "" || h.seq < before {
			found = append(found, h)
		}
	}
	slices.SortFunc(found, func(a, b heldLetter) int { return int(b.seq) - int(a.seq) })
	var next string
	if len(found) > limit {
		found = found[:limit]
		next = strconv.FormatUint(found[limit-1].seq, 10)
	}
	letters := make([]letter.Letter, len(found))
	for i, h := range found {
		h.letter.Data = nil
		letters[i] = ownLetter(h.letter)
	}
	return letters, next, nil
}

// Delete implements letter.Store.
func (s *Letters) Delete(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, id)
	return nil
}

func ownLetter(l letter.Letter) letter.Letter {
	l.Attributes = maps.Clone(l.Attributes)
	l.Data = slices.Clone(l.Data)
	return l
}
