package claimtest

import (
	"context"
	"errors"
	"sync"
	"time"

	"onceway.internal/shared/claim"
)

// Op is an operation of a store.
type Op string

// The operations. Any stands for all three.
const (
	Any    Op = "any"
	Create Op = "create"
	Get    Op = "get"
	Swap   Op = "swap"
)

// When says at which side of the operation a fault strikes.
type When string

// Before: the store never hears of the call. After: the store did it, but the
// caller doesn't get the answer.
const (
	Before When = "before"
	After  When = "after"
)

// ErrDown is an error for stores that can't be reached.
var ErrDown = errors.New("claim store is down")

// Fault breaks one call, or all.
type Fault struct {
	Op   Op
	Call int  // the how-manieth call of Op breaks, from 1; 0 breaks each
	When When // empty is Before
	// Pause, if set, holds the call up first. It must return when ctx ends; the
	// call then fails with ctx's error.
	Pause func(ctx context.Context)
	// Err is what the caller gets. Nil lets the call go on after the pause.
	// With claim.ErrUnreadable, After a Get, the answer keeps ID, version and times.
	Err error
}

// Until is a pause that lasts until c is closed.
func Until(c <-chan struct{}) func(context.Context) {
	return func(ctx context.Context) {
		select {
		case <-c:
		case <-ctx.Done():
		}
	}
}

// For is a pause of a fixed time, for tests on a synthetic clock.
func For(d time.Duration) func(context.Context) {
	return func(ctx context.Context) {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
		}
	}
}

// FaultyStore is a store that breaks by plan. It is as safe for concurrent use
// as the store within.
type FaultyStore struct {
	store claim.Store

	mu    sync.Mutex
	plan  []Fault
	calls map[Op]int
}

var _ claim.Store = (*FaultyStore)(nil)

// Faulty wraps store. Every fault that fits a call strikes, in the plan's order,
// up to the first with an error.
func Faulty(store claim.Store, plan ...Fault) *FaultyStore {
	return &FaultyStore{store: store, plan: plan, calls: map[Op]int{}}
}

// Plan replaces the plan and counts calls from 1 again. Without faults the
// store works.
func (f *FaultyStore) Plan(plan ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan, f.calls = plan, map[Op]int{}
}

// Calls is how many calls of op there were under this plan, broken ones included.
func (f *FaultyStore) Calls(op Op) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[op]
}

// Create implements claim.Store.
func (f *FaultyStore) Create(ctx context.Context, r claim.Record) (claim.Stored, error) {
	return f.call(ctx, Create, func() (claim.Stored, error) { return f.store.Create(ctx, r) })
}

// Get implements claim.Store.
func (f *FaultyStore) Get(ctx context.Context, id string) (claim.Stored, error) {
	return f.call(ctx, Get, func() (claim.Stored, error) { return f.store.Get(ctx, id) })
}

// Swap implements claim.Store.
func (f *FaultyStore) Swap(ctx context.Context, id, version string, r claim.Record) (claim.Stored, error) {
	return f.call(ctx, Swap, func() (claim.Stored, error) { return f.store.Swap(ctx, id, version, r) })
}

func (f *FaultyStore) call(ctx context.Context, op Op, do func() (claim.Stored, error)) (claim.Stored, error) {
	before, after := f.faults(op)
	if err := strike(ctx, before); err != nil {
		return claim.Stored{}, err
	}
	got, err := do()
	if lost := strike(ctx, after); lost != nil {
		if op == Get && err == nil && errors.Is(lost, claim.ErrUnreadable) {
			return claim.Stored{Record: claim.Record{ID: got.ID}, Version: got.Version, Written: got.Written, Now: got.Now}, lost
		}
		return claim.Stored{}, lost
	}
	return got, err
}

// faults counts the call and picks what strikes it.
func (f *FaultyStore) faults(op Op) (before, after []Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[op]++
	f.calls[Any]++
	for _, fault := range f.plan {
		if fault.Op != op && fault.Op != Any || fault.Call != 0 && fault.Call != f.calls[fault.Op] {
			continue
		}
		if fault.When == After {
			after = append(after, fault)
		} else {
			before = append(before, fault)
		}
	}
	return before, after
}

func strike(ctx context.Context, faults []Fault) error {
	for _, f := range faults {
		if f.Pause != nil {
			f.Pause(ctx)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if f.Err != nil {
			return f.Err
		}
	}
	return nil
}
