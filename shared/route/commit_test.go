package route_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"onceway.internal/shared/route"
)

func TestACommitWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	after := func(commit func() (time.Time, error)) (time.Time, error) {
		commit()
		return time.Time{}, context.DeadlineExceeded
	}
	retried := func(commit func() (time.Time, error)) (time.Time, error) {
		commit()
		return commit() // as a client library does after Unavailable: ErrAssigned to its own creator
	}
	busy := 3
	contended := func(commit func() (time.Time, error)) (time.Time, error) {
		if busy--; busy > 0 {
			return time.Time{}, errors.New("aborted")
		}
		return commit()
	}
	before := func(func() (time.Time, error)) (time.Time, error) { return time.Time{}, errDown }
	tests := map[string]struct {
		commit   func(func() (time.Time, error)) (time.Time, error)
		get      error
		recorded bool
		ledger   int64
	}{
		"after it happened":                 {commit: after, recorded: true, ledger: 1000},
		"retried by the client library":     {commit: retried, recorded: true, ledger: 1000},
		"refused twice under contention":    {commit: contended, recorded: true, ledger: 1000},
		"before it happened":                {commit: before},
		"after, and it can't be read back":  {commit: after, get: errDown, ledger: 1000},
		"before, and it can't be read back": {commit: before, get: errDown},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, six())
			w.figures(t, seen(0, 0, 0, 0, 0, 0, 0))
			f := &faulty{State: w.store, onCommit: tt.commit}
			if tt.get != nil {
				f.onGet = func() error { return tt.get }
			}
			a := assign(t, w.router(t, f, nil), route.Campaign{ID: "c1", Size: 1000})
			if a.Recorded != tt.recorded || a.Repeated {
				t.Errorf("recorded %v, repeated %v; want recorded %v", a.Recorded, a.Repeated, tt.recorded)
			}
			if l := w.ledger(t)[a.Group]; l != tt.ledger {
				t.Errorf("ledger %d, want %d", l, tt.ledger)
			}
			// Whatever happened, the campaign ends with one group, counted once.
			b := assign(t, w.router(t, nil, nil), route.Campaign{ID: "c1", Size: 1000})
			if sum := w.ledger(t); len(sum) != 1 || sum[b.Group] != 1000 || tt.ledger > 0 && b.Group != a.Group {
				t.Errorf("in the end %s, first %s, ledger %v", b.Group, a.Group, sum)
			}
		})
	}
}

func TestOneCommitEachAndOneQueryASecond(t *testing.T) {
	t.Parallel()
	w := newWorld(t, six())
	w.figures(t, seen(0, 0, 0, 0, 0, 0, 0))
	f := &faulty{State: w.store}
	r := w.router(t, f, nil)
	for i := range 30 { // three seconds, ten campaigns each
		assign(t, r, route.Campaign{ID: fmt.Sprint("c", i), Size: 10})
		w.pass(100 * time.Millisecond)
	}
	if reads, commits, gets := f.reads.Load(), f.commits.Load(), f.gets.Load(); reads != 3 || commits != 30 || gets != 0 {
		t.Errorf("%d reads, %d commits, %d gets for 30 campaigns in 3 s", reads, commits, gets)
	}
	f.breakReads(errDown)
	w.pass(time.Second)
	for i := range 10 {
		assign(t, r, route.Campaign{ID: fmt.Sprint("d", i), Size: 10})
	}
	if reads := f.reads.Load(); reads != 4 {
		t.Errorf("a state that is down was asked %d times within a second", reads-3)
	}
}
