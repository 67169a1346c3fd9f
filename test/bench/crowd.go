package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// errLost is work that never came to an end: it is counted, and the crowd goes on.
var errLost = errors.New("no answer")

// crowd has n goroutines do work until d is over, and takes the time of each.
func crowd(ctx context.Context, n int, d time.Duration, work func(context.Context) error) (round, error) {
	return crowdOf(ctx, n, d, func() func(context.Context) error { return work })
}

// crowdOf is crowd where each goroutine has work of its own.
func crowdOf(ctx context.Context, n int, d time.Duration, hire func() func(context.Context) error) (round, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	took := make([][]time.Duration, n)
	var lost, last atomic.Int64 // last is when work came to an end, after began
	var wait sync.WaitGroup
	before := mallocs()
	began := time.Now()
	for i := range n {
		wait.Go(func() {
			work := hire()
			for at := time.Now(); at.Sub(began) < d && ctx.Err() == nil; {
				err := work(ctx)
				done := time.Now()
				switch {
				case errors.Is(err, errLost):
					lost.Add(1)
				case err != nil:
					cancel(err)
					return
				default:
					took[i] = append(took[i], done.Sub(at))
					last.Store(int64(done.Sub(began)))
				}
				at = done
			}
		})
	}
	wait.Wait()
	r := round{Took: time.Duration(last.Load()), Allocs: mallocs() - before, Lost: int(lost.Load())}
	for _, t := range took {
		r.Count += len(t)
		r.Latency = append(r.Latency, t...)
	}
	return r, context.Cause(ctx)
}
