package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

var errPart = errors.New("a run of Score did only a part")

// turn runs Score once a minute of its world. Only the runs count, not the stand-in's
// sampling between them. What they took is processor time: nothing in a run waits for
// another machine, and on a busy one long runs are interrupted more than short ones.
// Latency is by the clock.
func (s *site) turn(ctx context.Context, length time.Duration) (round, error) {
	var r round
	for began := time.Now(); time.Since(began) < length || r.Count == 0; {
		s.minute(ctx)
		before, used, at := mallocs(), processorTime(), time.Now()
		sum, err := s.handler.Run(ctx)
		took := time.Since(at)
		r.Took += processorTime() - used
		if err != nil {
			return r, err
		}
		if sum.Fresh != s.queues || sum.Gauges.Written != 2*s.groups+s.queues || len(sum.Errors) > 0 {
			return r, fmt.Errorf("%w: %+v", errPart, sum)
		}
		r.Count++
		r.Allocs += mallocs() - before
		r.Latency = append(r.Latency, took)
		s.runs++
		s.called += int(s.monitoring.served.Load()) + sum.Calls.State
	}
	return r, nil
}

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// calls compares a run's calls with what is documented: for a project and each of three
// metrics one for a hundred subscriptions, for 200 gauges one (two for each group and
// one for each queue), and four of the state.
func (s *site) calls(name string) figure {
	lists, writes := 3*up(s.queues, 100), up(2*s.groups+s.queues, 200)
	documented := s.runs * (lists + writes + 4)
	return figure{
		Name: name, Ratio: float64(s.called) / float64(documented), Goal: 1, Most: true,
		Says: fmt.Sprintf("calls over what is documented: %d over %d in %d runs, in each %d lists, %d writes and 4 of the state",
			s.called, documented, s.runs, lists, writes),
	}
}

// up is n over by, rounded up.
func up(n, by int) int { return (n + by - 1) / by }
