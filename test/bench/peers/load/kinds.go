package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

const (
	known   = 100 // events that are repeated
	raced   = 3   // events of a race
	settled = 3   // calls of each event before it is repeated under measure
)

// first is events that never ran. Each must run, once.
func (s Side) first(ctx context.Context, o Order) (Report, error) {
	before := s.Effect.count()
	r, err := callers(o, func(caller, n int) error {
		e := newEvent(fmt.Sprintf("%s-%d-%d", o.Space, caller, n))
		answer, err := s.Call(ctx, e)
		if err == nil && !s.Silent && !bytes.Contains(answer, []byte(e.Key)) {
			err = fmt.Errorf("event %s got the answer %q", e.Key, answer)
		}
		return err
	})
	r.Effects = s.Effect.count() - before
	if err == nil && r.Effects != r.Calls {
		err = fmt.Errorf("%d new events acted %d times", r.Calls, r.Effects)
	}
	return r, err
}

// repeat is events that ran already. None may run, and each answers as it did.
func (s Side) repeat(ctx context.Context, o Order) (Report, error) {
	events, answers := make([]Event, known), make([][]byte, known)
	for i := range events {
		events[i] = newEvent(fmt.Sprintf("%s-%d", o.Space, i))
		for range settled {
			answer, err := s.Call(ctx, events[i])
			if err != nil {
				return Report{}, fmt.Errorf("before repeats: %w", err)
			}
			if answers[i] == nil {
				answers[i] = answer
			}
		}
	}
	before := s.Effect.count()
	r, err := callers(o, func(caller, n int) error {
		i := (caller*known/o.Parallel + n) % known
		answer, err := s.Call(ctx, events[i])
		if err == nil && !s.Silent && !bytes.Equal(answer, answers[i]) {
			err = fmt.Errorf("a repeat got %q, the first call %q", answer, answers[i])
		}
		return err
	})
	r.Effects = s.Effect.count() - before
	if err == nil && r.Effects != 0 {
		err = fmt.Errorf("%d repeats acted %d times", r.Calls, r.Effects)
	}
	return r, err
}

// race is a few new events, each from every caller at once. Each must run once.
func (s Side) race(ctx context.Context, o Order) (Report, error) {
	before := s.Effect.count()
	var wait sync.WaitGroup
	var away atomic.Int64
	start := make(chan struct{})
	errs := make([]error, raced*o.Parallel)
	for i := range errs {
		e := newEvent(fmt.Sprintf("%s-%d", o.Space, i%raced))
		wait.Go(func() {
			<-start
			if _, errs[i] = s.Call(ctx, e); errors.Is(errs[i], ErrInFlight) {
				errs[i] = nil
				away.Add(1)
			}
		})
	}
	close(start)
	wait.Wait()
	r := Report{Calls: len(errs), Effects: s.Effect.count() - before, InFlight: int(away.Load())}
	err := errors.Join(errs...)
	if err == nil && r.Effects != raced {
		err = fmt.Errorf("%d events from %d callers at once acted %d times", raced, o.Parallel, r.Effects)
	}
	return r, err
}
