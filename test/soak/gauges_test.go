//go:build soak

package soak_test

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"onceway.internal/test/chaos/rig"
)

const (
	sampleEvery = time.Second
	warmUp      = 8 * time.Second // pools, caches and the heap fill up
)

// sample is what one keeper used at one moment.
type sample struct {
	keeper string
	at     time.Time
	gauges rig.Gauges
}

func (s *soak) sampleEach(ctx context.Context) error {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		for _, k := range s.rig.Keepers() {
			g, err := k.Gauges(ctx)
			if ctx.Err() != nil {
				return nil
			}
			if err != nil {
				return err
			}
			s.samples = append(s.samples, sample{k.Name(), time.Now(), g})
		}
	}
}

// calm reports whether no outage disturbs that moment.
func (s *soak) calm(at time.Time) bool {
	for _, c := range s.outages {
		if at.After(c.from) && at.Before(c.to.Add(recovers)) {
			return false
		}
	}
	return at.After(s.begun.Add(warmUp))
}

// checkGauges compares the first calm time with the last.
func (s *soak) checkGauges(t *testing.T) {
	t.Helper()
	pooled := 8.0
	if len(s.outages) == 1 {
		// The first third lies before it, and what waited for its end came at once: the
		// store's client keeps up to ten connections a core for the next time.
		pooled = float64(10 * runtime.NumCPU())
	}
	for _, k := range s.rig.Keepers() {
		for _, g := range []struct {
			name  string
			of    func(rig.Gauges) float64
			grows float64 // factor
			more  float64 // on top, for what comes and goes
			unit  float64
		}{
			{"goroutines", func(g rig.Gauges) float64 { return g.Goroutines }, 1.2, 20, 1},
			{"resident MiB", func(g rig.Gauges) float64 { return g.Memory }, 1.2, 16 << 20, 1 << 20},
			{"open files", func(g rig.Gauges) float64 { return g.Files }, 1.2, pooled, 1},
		} {
			first, last, ok := s.firstAndLast(k.Name(), g.of)
			t.Logf("%s: %s %.0f, then %.0f", k.Name(), g.name, first/g.unit, last/g.unit)
			if !ok || last > first*g.grows+g.more {
				t.Errorf("%s: %s grew from %.0f to %.0f", k.Name(), g.name, first/g.unit, last/g.unit)
			}
		}
	}
}

// firstAndLast answers with the medians of the first and the last third of a keeper's
// calm samples.
func (s *soak) firstAndLast(keeper string, of func(rig.Gauges) float64) (first, last float64, ok bool) {
	var values []float64
	for _, x := range s.samples {
		if x.keeper == keeper && s.calm(x.at) {
			values = append(values, of(x.gauges))
		}
	}
	n := len(values) / 3
	if n == 0 {
		return 0, 0, false
	}
	middle := func(v []float64) float64 {
		v = slices.Sorted(slices.Values(v))
		return v[len(v)/2]
	}
	return middle(values[:n]), middle(values[len(values)-n:]), true
}
