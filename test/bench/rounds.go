package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// side is one of the things compared. run works for about that long and answers
// with what it did.
type side struct {
	name string
	run  func(ctx context.Context, d time.Duration) (round, error)
}

// round is what a side did in one of its turns.
type round struct {
	Count   int           // events, requests, messages
	Took    time.Duration // until the last of them was done
	Latency []time.Duration
	Lost    int    // begun and never ended
	Allocs  uint64 // of the whole process, if it was counted
}

func (r round) rate() float64 { return float64(r.Count) / r.Took.Seconds() }

// alternate gives each side a turn in every round, in changing order, so that what
// else the machine does meets all of them. Answers are by side, then by round. One
// short turn of each comes before and doesn't count.
func alternate(ctx context.Context, budget time.Duration, rounds int, sides ...side) ([][]round, error) {
	each := budget / time.Duration(len(sides)*rounds)
	for _, s := range sides {
		if _, err := s.run(ctx, min(each/2, 500*time.Millisecond)); err != nil {
			return nil, fmt.Errorf("warm up %s: %w", s.name, err)
		}
	}
	out := make([][]round, len(sides))
	for n := range rounds {
		for i := range sides {
			turn := i
			if n%2 == 1 {
				turn = len(sides) - 1 - i
			}
			runtime.GC() // nobody pays for another's garbage
			r, err := sides[turn].run(ctx, each)
			if err != nil {
				return nil, fmt.Errorf("round %d of %s: %w", n+1, sides[turn].name, err)
			}
			out[turn] = append(out[turn], r)
		}
	}
	return out, nil
}

// faster is the median, over the rounds, of how many times b's rate a's is.
func faster(a, b []round) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i].rate() / b[i].rate()
	}
	return median(ratios)
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	if n == 0 {
		return 0
	}
	return (x[(n-1)/2] + x[n/2]) / 2
}

// total is a side's rounds taken together.
func total(rounds []round) round {
	var t round
	for _, r := range rounds {
		t.Count += r.Count
		t.Took += r.Took
		t.Allocs += r.Allocs
		t.Lost += r.Lost
		t.Latency = append(t.Latency, r.Latency...)
	}
	slices.Sort(t.Latency)
	return t
}

// quantile of latencies in order; 0 where none were taken.
func (r round) quantile(q float64) time.Duration {
	if len(r.Latency) == 0 {
		return 0
	}
	return r.Latency[min(int(q*float64(len(r.Latency))), len(r.Latency)-1)]
}

// says is the round in words: rate, latencies, allocations.
func (r round) says(unit string) string {
	s := fmt.Sprintf("%.0f %s/s", r.rate(), unit)
	if len(r.Latency) > 0 {
		s += fmt.Sprintf(", p50 %s, p99 %s", short(r.quantile(0.5)), short(r.quantile(0.99)))
	}
	if r.Allocs > 0 {
		s += fmt.Sprintf(", %.0f allocations", float64(r.Allocs)/float64(max(r.Count, 1)))
	}
	if r.Lost > 0 {
		s += fmt.Sprintf(", %d never answered", r.Lost)
	}
	return s
}

// short keeps three digits of a duration.
func short(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

// compare names both sides in words.
func compare(ours, theirs []round, unit, name string) string {
	a, b := total(ours), total(theirs)
	return fmt.Sprintf("%s; %s %s; %d and %d in %d rounds", a.says(unit), name, b.says(unit), a.Count, b.Count, len(ours))
}

// mallocs counts what this process has allocated so far.
func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}
