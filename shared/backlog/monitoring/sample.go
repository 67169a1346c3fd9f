package monitoring

import (
	"maps"
	"slices"
	"time"

	"onceway.internal/shared/backlog"
)

// reading makes samples of the newest points.
func (f *findings) reading(queues []backlog.Queue) backlog.Reading {
	samples := map[backlog.Queue]backlog.Sample{}
	for _, q := range queues {
		gauge := f.points[place{q.Project, q.Subscription, undelivered}]
		at, ok := gauge.newest(time.Time{})
		if !ok {
			continue
		}
		s := backlog.Sample{At: at, Undelivered: max(0, gauge[at].value)}
		if earlier, ok := gauge.newest(at); ok {
			s.Earlier = backlog.Point{At: earlier, Undelivered: max(0, gauge[earlier].value)}
		}
		ages := f.points[place{q.Project, q.Subscription, oldest}]
		if end, ok := ages.newest(time.Time{}); ok && s.Undelivered > 0 {
			s.Oldest = time.Duration(ages[end].value) * time.Second
		}
		s.Flow = flow(gauge, f.points[place{q.Project, q.Subscription, acked}])
		samples[q] = s
	}
	return backlog.Reading{Samples: samples, Errors: f.errs, Calls: f.calls}
}

// flow is the newest stretch of acknowledgements that has a backlog figure at
// both ends; nil when there is none.
func flow(gauge, acks points) *backlog.Flow {
	end, ok := acks.newest(time.Time{})
	if !ok {
		return nil
	}
	from := acks[end].from
	length := end.Sub(from)
	before, okBefore := gauge.near(from, length/2)
	after, okAfter := gauge.near(end, length/2)
	if length <= 0 || !okBefore || !okAfter {
		return nil
	}
	return &backlog.Flow{From: from, To: end, Acked: acks[end].value, Before: before, After: after}
}

// newest is the latest end, of those before the time given unless that is zero.
func (p points) newest(before time.Time) (at time.Time, ok bool) {
	for t := range p {
		if t.After(at) && (before.IsZero() || t.Before(before)) {
			at, ok = t, true
		}
	}
	return at, ok
}

// near is the value that stands closest to t, not further away than within; the
// earlier of two as close. Metrics of one subscription need not be sampled at
// the same moment.
func (p points) near(t time.Time, within time.Duration) (value int64, found bool) {
	best := within + 1
	for _, at := range slices.SortedFunc(maps.Keys(p), time.Time.Compare) {
		if d := at.Sub(t).Abs(); d < best {
			best, value, found = d, p[at].value, true
		}
	}
	return value, found
}
