package memroute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

// MaxAssignments bounds the memory.
const MaxAssignments = 100_000

// Store implements route.Store.
type Store struct {
	live groups.Store
	now  func() time.Time

	mu       sync.Mutex
	figures  route.Figures
	settings *route.Settings
	version  int64
	ledger   map[bucketKey]route.Bucket
	assigned map[string]record
	order    []string // campaigns, oldest first
	advice   map[string]route.Recommendation
	past     []route.Past // oldest first
}

type bucketKey struct {
	group string
	start int64
}

type record struct {
	route.Assignment
	at time.Time
}

var _ route.Store = (*Store)(nil)

// New returns an empty store whose time is now's. live is where reservations stand.
func New(live groups.Store, now func() time.Time) (*Store, error) {
	if live == nil || now == nil {
		return nil, errors.New("memroute: a store needs the groups' live state and a clock")
	}
	return &Store{live: live, now: now, ledger: make(map[bucketKey]route.Bucket),
		assigned: make(map[string]record), advice: make(map[string]route.Recommendation)}, nil
}

// Read implements route.State.
func (s *Store) Read(ctx context.Context, after time.Time) (route.Snapshot, error) {
	live, err := s.live.Load(ctx)
	if err != nil {
		return route.Snapshot{}, fmt.Errorf("read routing state: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	snap := route.Snapshot{At: s.now().UTC(), Live: live, Figures: s.figures}
	if s.settings != nil {
		c := *s.settings
		snap.Settings = &c
	}
	for k, b := range s.ledger {
		switch {
		case b.Retires().After(after):
			snap.Ledger = append(snap.Ledger, b)
		case snap.At.Sub(b.Retires()) > 2*route.Horizon: // nobody asks for it any more
			delete(s.ledger, k)
		}
	}
	slices.SortFunc(snap.Ledger, func(a, b route.Bucket) int {
		if c := a.Start.Compare(b.Start); c != 0 {
			return c
		}
		return cmp.Compare(a.Group, b.Group)
	})
	return snap, nil
}

// Commit implements route.State.
func (s *Store) Commit(ctx context.Context, a route.Assignment) (time.Time, error) {
	if err := ctx.Err(); err != nil {
		return time.Time{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now().UTC()
	s.forget(now)
	if _, ok := s.assigned[a.Campaign]; ok {
		return time.Time{}, route.ErrAssigned
	}
	a.Candidates = slices.Clone(a.Candidates)
	s.assigned[a.Campaign] = record{a, now}
	s.order = append(s.order, a.Campaign)
	if a.Group == "" {
		return now, nil
	}
	start := a.At.UTC().Truncate(route.BucketLength)
	k := bucketKey{a.Group, start.Unix()}
	b := s.ledger[k]
	s.ledger[k] = route.Bucket{Group: a.Group, Start: start, Size: b.Size + a.Size, Count: b.Count + 1, Largest: max(b.Largest, a.Size)}
	return now, nil
}

func (s *Store) forget(now time.Time) {
	for len(s.order) > 0 {
		old := s.order[0]
		if len(s.order) < MaxAssignments && now.Sub(s.assigned[old].at) <= route.AssignmentFor {
			return
		}
		delete(s.assigned, old)
		s.order = s.order[1:]
	}
}

// Assignment implements route.State.
func (s *Store) Assignment(ctx context.Context, campaign string) (route.Assignment, time.Time, error) {
	if err := ctx.Err(); err != nil {
		return route.Assignment{}, time.Time{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.assigned[campaign]
	if !ok {
		return route.Assignment{}, time.Time{}, route.ErrNotFound
	}
	r.Recorded = true
	return r.Assignment, r.at, nil
}

// PutFigures implements route.Board.
func (s *Store) PutFigures(ctx context.Context, f route.Figures) (route.Figures, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.figures = s.figures.Merge(f) // a new value: snapshots share the old one
	return s.figures, nil
}

// PutSettings implements route.Board.
func (s *Store) PutSettings(ctx context.Context, n route.Settings) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	current := ""
	if s.settings != nil {
		current = s.settings.Version
	}
	if n.Version != current {
		return route.ErrConflict
	}
	s.version++
	n.Version = strconv.FormatInt(s.version, 10)
	s.settings = &n
	return nil
}

// PutRecommendations implements route.Board.
func (s *Store) PutRecommendations(ctx context.Context, rs []route.Recommendation) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rs {
		if s.advice[r.Queue].At.After(r.At) {
			continue
		}
		r.Topics = slices.Clone(r.Topics)
		s.advice[r.Queue] = r
	}
	return nil
}

// Recommendation implements route.Board.
func (s *Store) Recommendation(ctx context.Context, queue string) (route.Recommendation, time.Time, error) {
	if err := ctx.Err(); err != nil {
		return route.Recommendation{}, time.Time{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.advice[queue]
	if !ok {
		return route.Recommendation{}, time.Time{}, route.ErrNotFound
	}
	r.Topics = slices.Clone(r.Topics)
	return r, s.now().UTC(), nil
}

// PutHistory implements route.Board.
func (s *Store) PutHistory(ctx context.Context, p route.Past) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	minute := p.At.Truncate(time.Minute)
	s.past = slices.DeleteFunc(s.past, func(o route.Past) bool {
		return o.At.Truncate(time.Minute).Equal(minute) || p.At.Sub(o.At) > route.HistoryFor
	})
	p.Groups, p.Backlogs = slices.Clone(p.Groups), maps.Clone(p.Backlogs)
	s.past = append(s.past, p)
	slices.SortFunc(s.past, func(a, b route.Past) int { return a.At.Compare(b.At) })
	return nil
}

// History implements route.Board.
func (s *Store) History(ctx context.Context, since time.Time) ([]route.Past, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.past, func(p route.Past) bool { return !p.At.Before(since) })
	if i < 0 {
		return nil, nil
	}
	found := s.past[i:]
	return slices.Clone(found[max(0, len(found)-route.MaxHistory):]), nil
}

// Recent implements route.Board.
func (s *Store) Recent(ctx context.Context, limit int) ([]route.Assignment, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []route.Assignment
	for i := len(s.order) - 1; i >= 0 && len(out) < limit; i-- {
		a := s.assigned[s.order[i]].Assignment
		a.Recorded = true
		out = append(out, a)
	}
	return out, nil
}
