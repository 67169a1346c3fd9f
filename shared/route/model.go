package route

import (
	"math"
	"slices"
	"time"

	"onceway.internal/shared/groups"
)

// entry is something routed to a group: a campaign, or what a bucket's campaigns sum to.
type entry struct {
	at   time.Time
	size float64
}

// model is one group as a snapshot shows it, with its ledger replayed, so that a
// choice costs no more than the router's own choices since.
type model struct {
	figures  map[string]Figure
	queues   []groups.Queue
	mode     Mode
	trust    float64
	sampled  float64   // score at tau
	capacity float64   // messages per second of the queue where work enters
	tau      time.Time // the first queue's sample time; for a group without one, a Horizon ago
	// x is the score at the time t, after the ledger.
	x float64
	t time.Time
}

// newModel reads g's queues from the one numbered from (0: the whole group).
// What stands in the queues before it still counts as work for it.
func newModel(g groups.Group, from int, snap Snapshot, buckets []Bucket, s Settings) model {
	m := model{figures: snap.Figures[g.ID], queues: g.Queues, mode: s.Mode, trust: s.DrainTrust}
	m.score(from)
	m.tau = m.figures[g.Queues[0].Name].At
	if m.tau.IsZero() {
		m.tau = snap.At.Add(-Horizon)
	}
	m.x, m.t = m.sampled, m.tau
	for _, e := range since(m.tau, snap.At, buckets) {
		m.x, m.t = m.step(m.x, m.t, e)
	}
	return m
}

// rate is what queue q's workers do, messages per second.
func rate(q groups.Queue, f Figure) float64 {
	if f.Rate > 0 {
		return f.Rate
	}
	return q.Rate
}

// score fills in sampled and capacity. Messages are counted in those of the
// later queue: each queue owes what is in it and, times fanout, all before it.
func (m *model) score(from int) {
	owed, made, slowest := 0.0, 1.0, 0.0 // made: messages here for one that entered
	for k, q := range m.queues {
		f := m.figures[q.Name]
		if k > 0 {
			owed *= q.Fanout
		}
		if k > from {
			made *= q.Fanout
		}
		owed += f.Backlog
		if k >= from {
			slowest = math.Max(slowest, made/rate(q, f))
		}
		switch m.mode {
		case ModeWeighted:
			m.sampled += q.Weight * f.Backlog
		case ModeSize:
			m.sampled += f.Backlog
		default:
			if k >= from {
				m.sampled = math.Max(m.sampled, owed/rate(q, f))
			}
		}
	}
	m.capacity = 1 / slowest
}

// step drains from t to the entry's time and adds the entry.
func (m *model) step(x float64, t time.Time, e entry) (float64, time.Time) {
	x, t = m.drain(x, t, e.at)
	if m.mode == ModeDrain {
		return x + e.size/m.capacity, t
	}
	return x + e.size, t
}

// drain lets time pass; modes that count messages don't model it.
func (m *model) drain(x float64, t, to time.Time) (float64, time.Time) {
	if !to.After(t) {
		return x, t
	}
	if m.mode != ModeDrain {
		return x, to
	}
	return math.Max(0, x-m.trust*to.Sub(t).Seconds()), to
}

// at is the score at now for a campaign of size, with the router's own choices added.
func (m *model) at(now time.Time, own []entry, size float64) float64 {
	x, t := m.x, m.t
	for _, e := range own {
		if m.counts(e) {
			x, t = m.step(x, t, e)
		}
	}
	x, t = m.drain(x, t, now)
	x, _ = m.step(x, t, entry{at: t, size: size})
	return x
}

// counts reports whether the sample may lack some of the campaign's messages.
func (m *model) counts(e entry) bool {
	return e.at.After(m.tau.Add(-PublishWindow(int64(e.size))))
}

// data is the worst state of the queues, and whether the score may be used.
func (m *model) data(now time.Time) (worst Data, usable bool) {
	if m.figures[m.queues[0].Name].At.IsZero() {
		return Never, false
	}
	worst, usable = Zero, true
	order := []Data{Zero, Fresh, Stale, Missing}
	for _, q := range m.queues {
		f := m.figures[q.Name]
		d := f.Data(now)
		if d == Never {
			continue
		}
		age := now.Sub(f.At)
		usable = usable && age <= Horizon && (d != Missing || age <= HoldMissing)
		if slices.Index(order, d) > slices.Index(order, worst) {
			worst = d
		}
	}
	return worst, usable
}

// since turns buckets into what a sample of time tau does not hold, in order. A
// bucket that straddles the cut counts in part. now is when they were read.
func since(tau, now time.Time, buckets []Bucket) []entry {
	var es []entry
	for _, b := range buckets {
		cut := tau.Add(-PublishWindow(b.Largest))
		end := b.Start.Add(BucketLength)
		if end.After(now) && now.After(b.Start) {
			end = now
		}
		if !end.After(cut) {
			continue
		}
		from, share := b.Start, 1.0
		if cut.After(from) {
			share = end.Sub(cut).Seconds() / end.Sub(from).Seconds()
			from = cut
		}
		at := from.Add(end.Sub(from) / 2)
		if at.Before(tau) {
			at = tau
		}
		es = append(es, entry{at: at, size: share * float64(b.Size)})
	}
	slices.SortFunc(es, func(a, b entry) int { return a.at.Compare(b.at) })
	return es
}
