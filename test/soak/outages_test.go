//go:build soak

package soak_test

import (
	"context"
	"testing"
	"time"

	"onceway.internal/test/wire"
)

const (
	firstOutage  = 20 * time.Second
	outageEvery  = time.Minute
	outageLasts  = 10 * time.Second
	before       = 10 * time.Second // of events whose latency is normal
	recovers     = 15 * time.Second // after an outage
	after        = 15 * time.Second // of events whose latency must be normal again
	worstRatio   = 2.0
	worstMore    = 100 * time.Millisecond // what a busy machine may add
	outageNeeded = outageLasts + recovers + after
)

// outage is how a store is gone.
type outage struct {
	name string
	cut  func(*wire.Proxy)
}

var outages = []outage{{"refusing connections", (*wire.Proxy).Refuse}, {"swallowing bytes", (*wire.Proxy).Swallow}}

// cut is one outage.
type cut struct {
	how      string
	from, to time.Time
}

// cutEach makes an outage each minute, as long as its end can still be seen.
func (s *soak) cutEach(ctx context.Context, d time.Duration) {
	for at := firstOutage; at+outageNeeded <= d; at += outageEvery {
		if !sleep(ctx, time.Until(s.begun.Add(at))) {
			return
		}
		o := outages[len(s.outages)%len(outages)]
		c := cut{how: o.name, from: time.Now()}
		o.cut(s.proxy)
		whole := sleep(ctx, outageLasts)
		s.proxy.Mend()
		c.to = time.Now()
		s.outages = append(s.outages, c)
		if !whole {
			return
		}
	}
}

// sleep waits and reports whether ctx was still there at the end.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// checkLatency compares medians before and after each outage.
func (s *soak) checkLatency(t *testing.T) {
	t.Helper()
	if len(s.outages) == 0 {
		t.Error("there was no outage")
	}
	for _, c := range s.outages {
		was := median(s.rig.Latencies(c.from.Add(-before), c.from))
		in := median(s.rig.Latencies(c.from, c.to))
		is := median(s.rig.Latencies(c.to.Add(recovers), c.to.Add(recovers+after)))
		ratio := float64(is) / float64(was)
		t.Logf("store %s for %v: publish to act, medians: %v before, %v during, %v after; after/before %.2f", c.how, c.to.Sub(c.from).Round(time.Second),
			was.Round(time.Millisecond), in.Round(time.Millisecond), is.Round(time.Millisecond), ratio)
		if is == 0 || ratio > worstRatio && is-was > worstMore {
			t.Errorf("latency did not come back to normal: %v, and %v before", is, was)
		}
		if in < time.Second {
			t.Errorf("median during the outage is %v: the store was not gone", in)
		}
	}
}

// median of a sorted list; 0 for none.
func median(sorted []time.Duration) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}
