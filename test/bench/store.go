package main

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/once"
)

const (
	storeGoal   = 0.95 // on stores that are reached over a network
	storeRounds = 6
)

// store compares, for each backend and at 1, 8 and 64 at once, deliveries through the
// runner with a bare loop that makes the same two calls with the same records: Create
// as CLAIMED, Swap to DONE. Every event is new and its handler does nothing.
func store(ctx context.Context, e *env) ([]figure, error) {
	parallel := []int{1, 8, 64}
	each := e.budget / time.Duration(len(backends)*len(parallel))
	var figures []figure
	for _, b := range backends {
		s, closed, err := b.open(ctx, e)
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", b.name, err)
		}
		for _, n := range parallel {
			f, err := compareStore(ctx, s, n, each)
			if err != nil {
				return nil, fmt.Errorf("%s, %d at once: %w", b.name, n, err)
			}
			f.Name = fmt.Sprintf("store/%s/%d", b.name, n)
			if b.network {
				f.Goal = storeGoal
			}
			figures = append(figures, f)
		}
		if err := closed.Close(); err != nil {
			return nil, fmt.Errorf("close %s: %w", b.name, err)
		}
	}
	return figures, nil
}

// eventIDs are new whichever bench and side asks. The prefix is one run's.
type eventIDs struct {
	prefix string
	last   atomic.Int64
}

func newEventIDs() *eventIDs { return &eventIDs{prefix: claim.NewToken() + "-"} }

func (i *eventIDs) next() string { return i.prefix + strconv.FormatInt(i.last.Add(1), 10) }

func compareStore(ctx context.Context, s claim.Store, parallel int, budget time.Duration) (figure, error) {
	ids := newEventIDs()
	runner, err := newRunner(s, parallel)
	if err != nil {
		return figure{}, err
	}
	made, err := recorded(ctx)
	if err != nil {
		return figure{}, err
	}
	through := side{"runner", func(ctx context.Context, d time.Duration) (round, error) {
		return crowd(ctx, parallel, d, func(ctx context.Context) error {
			m, err := message(ids.next())
			if err != nil {
				return err
			}
			if rep := runner.Deliver(ctx, idle{}, m); rep.Outcome != once.Done {
				return fmt.Errorf("event came to %s: %w", rep.Outcome, rep.Err)
			}
			return nil
		})
	}}
	bare := side{"bare calls", func(ctx context.Context, d time.Duration) (round, error) {
		return crowd(ctx, parallel, d, func(ctx context.Context) error { return made.write(ctx, s, ids.next()) })
	}}
	rounds, err := alternate(ctx, budget, storeRounds, through, bare)
	if err != nil {
		return figure{}, err
	}
	return figure{Ratio: faster(rounds[0], rounds[1]), Says: compare(rounds[0], rounds[1], "events", "bare calls")}, nil
}

// calls are the records of the two calls that one delivery makes.
type calls struct{ create, swap claim.Record }

// recorded listens to a delivery.
func recorded(ctx context.Context) (calls, error) {
	mem, err := memclaim.New(1, time.Now)
	if err != nil {
		return calls{}, err
	}
	spy := &spy{Store: mem}
	runner, err := newRunner(spy, 1)
	if err != nil {
		return calls{}, err
	}
	m, err := message(newEventIDs().next())
	if err != nil {
		return calls{}, err
	}
	runner.Deliver(ctx, idle{}, m)
	if len(spy.records) != 2 {
		return calls{}, fmt.Errorf("a delivery makes %d writes, not 2", len(spy.records))
	}
	return calls{spy.records[0], spy.records[1]}, nil
}

// write makes the calls for another event.
func (c calls) write(ctx context.Context, s claim.Store, id string) error {
	r := c.create
	r.ID, r.Key = claim.ID(r.Handler, id), id
	got, err := s.Create(ctx, r)
	if err != nil {
		return err
	}
	next := c.swap
	next.ID, next.Key = r.ID, id
	_, err = s.Swap(ctx, r.ID, got.Version, next)
	return err
}

type spy struct {
	claim.Store
	records []claim.Record
}

func (s *spy) Create(ctx context.Context, r claim.Record) (claim.Stored, error) {
	s.records = append(s.records, r)
	return s.Store.Create(ctx, r)
}

func (s *spy) Swap(ctx context.Context, id, version string, r claim.Record) (claim.Stored, error) {
	s.records = append(s.records, r)
	return s.Store.Swap(ctx, id, version, r)
}
