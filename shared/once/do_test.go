package once_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/claimtest"
	"onceway.internal/shared/once"
)

func call(payload string) once.Call {
	return once.Call{Handler: "restart", Key: "k1", Policy: claim.AtMostOnce, Payload: []byte(payload)}
}

type fn = func(context.Context, *once.Delivery) ([]byte, error)

func answer(s string) fn {
	return func(context.Context, *once.Delivery) ([]byte, error) { return []byte(s), nil }
}

func TestDoAnswersARepeatWithTheFirstResult(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t, func(_ *claim.Config, c *once.Config) { c.CacheSize = 10 })
		first, err := b.runner.Do(t.Context(), call("p"), answer("charged"))
		if err != nil || first.Repeat || string(first.Result) != "charged" {
			t.Fatalf("first call: %q, repeat %v, %v", first.Result, first.Repeat, err)
		}
		again, err := b.runner.Do(t.Context(), call("p"), answer("charged twice"))
		if err != nil || !again.Repeat || string(again.Result) != "charged" {
			t.Errorf("repeat: %q, repeat %v, %v", again.Result, again.Repeat, err)
		}
	})
}

func TestDoTellsWhyThereIsNoResult(t *testing.T) {
	for name, c := range map[string]struct {
		before func(*testing.T, *bench)
		fn     fn
		want   error
	}{
		"other payload": {func(t *testing.T, b *bench) {
			_, err := b.runner.Do(t.Context(), call("other"), answer("x"))
			if err != nil {
				t.Fatal(err)
			}
		}, answer("x"), once.ErrMismatch},
		"in flight":     {func(t *testing.T, b *bench) { take(t, b, claim.AtMostOnce) }, answer("x"), once.ErrInFlight},
		"store down":    {func(_ *testing.T, b *bench) { b.store.Plan(claimtest.Fault{Op: claimtest.Any, Err: claimtest.ErrDown}) }, answer("x"), once.ErrUnproven},
		"parked now":    {nil, func(context.Context, *once.Delivery) ([]byte, error) { return nil, errBroken }, once.ErrParked},
		"its own error": {nil, func(context.Context, *once.Delivery) ([]byte, error) { return nil, once.NoEffect(errBroken) }, errBroken},
		"parked before": {func(t *testing.T, b *bench) {
			_, _ = b.runner.Do(t.Context(), call("p"), func(context.Context, *once.Delivery) ([]byte, error) { return nil, errBroken })
		}, answer("x"), once.ErrParked},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				b := newBench(t)
				if c.before != nil {
					c.before(t, b)
				}
				reply, err := b.runner.Do(t.Context(), call("p"), c.fn)
				if !errors.Is(err, c.want) || reply.Result != nil {
					t.Errorf("answered %q, %v, want %v", reply.Result, err, c.want)
				}
			})
		})
	}
}

func TestDoGivenUpStaysGivenUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, c := newBench(t), call("p")
		c.Policy = claim.AtLeastOnce
		_, err := b.runner.Do(t.Context(), c, func(context.Context, *once.Delivery) ([]byte, error) {
			return nil, once.Permanent(errBroken, "declined")
		})
		if !errors.Is(err, errBroken) {
			t.Errorf("first: %v", err)
		}
		if _, err = b.runner.Do(t.Context(), c, answer("x")); !errors.Is(err, once.ErrGivenUp) {
			t.Errorf("repeat: %v", err)
		}
		if len(b.topic.letters) != 1 || !once.FromCall(b.topic.letters[0]) {
			t.Errorf("letters: %+v", b.topic.letters)
		}
	})
}

func TestDoLettersNoMismatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		_, _ = b.runner.Do(t.Context(), call("p"), answer("x"))
		_, _ = b.runner.Do(t.Context(), call("q"), answer("x"))
		if n := len(b.topic.letters); n != 0 {
			t.Errorf("the caller hears of its mistake, and %d letters do too", n)
		}
	})
}

func TestDoWaitsForACallInFlight(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		var wg sync.WaitGroup
		wg.Go(func() {
			_, _ = b.runner.Do(t.Context(), call("p"), func(context.Context, *once.Delivery) ([]byte, error) {
				pass(3 * time.Second)
				return []byte("slow"), nil
			})
		})
		synctest.Wait()
		reply, err := b.runner.Do(t.Context(), call("p"), answer("x"))
		wg.Wait()
		if err != nil || !reply.Repeat || string(reply.Result) != "slow" {
			t.Errorf("answered %q, repeat %v, %v", reply.Result, reply.Repeat, err)
		}
	})
}

func TestDoGivesTooLargeAResultToTheFirstCallOnly(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		large := func(context.Context, *once.Delivery) ([]byte, error) { return make([]byte, claim.MaxResult+1), nil }
		first, err := b.runner.Do(t.Context(), call("p"), large)
		if err != nil || len(first.Result) != claim.MaxResult+1 {
			t.Errorf("first: %d bytes, %v", len(first.Result), err)
		}
		again, err := b.runner.Do(t.Context(), call("p"), large)
		if err != nil || !again.Repeat || again.Result != nil {
			t.Errorf("repeat: %d bytes, %v", len(again.Result), err)
		}
	})
}

func TestDoRefusesACallThatNamesNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		for _, c := range []once.Call{{}, {Handler: "h", Key: "k"}, {Handler: "h", Policy: claim.AtMostOnce}, {Key: "k", Policy: claim.AtMostOnce}} {
			if _, err := b.runner.Do(t.Context(), c, answer("x")); err == nil {
				t.Errorf("%+v was accepted", c)
			}
		}
	})
}
