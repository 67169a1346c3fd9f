package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"onceway.internal/shared/route"
)

// monitor samples the queues as a metrics service does, and scores them as the
// Score function does: the newest sample that can be seen becomes the figure.
type monitor struct {
	r       regime
	ev      *events
	groups  []*pipeline
	names   []string // of groups
	queues  []string // of a group's queues
	nominal [][]float64
	store   route.Board
	rng     *rand.Rand

	samples [][]sample // by group, those that may still be used, oldest first
	figures route.Figures
}

// sample is one group's queues at a moment.
type sample struct {
	taken, stated, visible float64
	backlog                []float64
	flow                   []route.Flow // of the period before
}

// seriesWindow is how far back points are asked for; with none in it, a series is missing.
const seriesWindow = 600

func (m *monitor) start(end float64) {
	m.samples = make([][]sample, len(m.groups))
	m.figures = route.Figures{}
	before := make([][]counts, len(m.groups))
	for g := range before {
		before[g] = make([]counts, len(m.queues))
	}
	m.ev.every(0, m.r.SampleEvery, end, func() {
		for g := range m.groups {
			m.sample(g, before[g])
		}
	})
	// Scheduler's minute is not Monitoring's.
	m.ev.every(m.r.ScoreEvery*0.1, m.r.ScoreEvery, end, m.score)
}

// counts are a queue's at the sample before.
type counts struct{ backlog, acked float64 }

func (m *monitor) sample(g int, before []counts) {
	now := m.ev.now
	// Drawn whether used or not, so that every policy meets the same lags.
	lag, off, lost := m.rng.Float64(), m.rng.Float64(), m.rng.Float64()
	s := sample{
		taken: now, stated: now + m.r.BoundaryError*(2*off-1), visible: now + m.r.LagMin + lag*(m.r.LagMax-m.r.LagMin),
		backlog: make([]float64, len(m.queues)), flow: make([]route.Flow, len(m.queues)),
	}
	for k, st := range m.groups[g].stages {
		s.backlog[k] = st.backlog()
		s.flow[k] = route.Flow{
			From: stamp(s.stated - m.r.SampleEvery), To: stamp(s.stated), Acked: st.acked - before[k].acked, Before: before[k].backlog,
		}
		before[k] = counts{s.backlog[k], st.acked}
	}
	if lost >= m.r.SamplesLost {
		m.samples[g] = append(m.samples[g], s)
	}
}

// newest takes the newest visible sample, and forgets older ones.
func (m *monitor) newest(g int) (sample, bool) {
	found := -1
	for i, s := range m.samples[g] {
		if s.visible <= m.ev.now {
			found = i
		}
	}
	if found < 0 || m.ev.now-m.samples[g][found].taken > seriesWindow {
		return sample{}, false
	}
	m.samples[g] = m.samples[g][found:]
	return m.samples[g][0], true
}

func (m *monitor) score() {
	for g, name := range m.names {
		s, ok := m.newest(g)
		figures := make(map[string]route.Figure, len(m.queues))
		for k, queue := range m.queues {
			var r *route.Reading
			if ok {
				r = &route.Reading{Backlog: s.backlog[k], At: stamp(s.stated), Flow: &s.flow[k]}
			}
			figures[queue] = m.figures[name][queue].Next(r, stamp(m.ev.now), m.nominal[g][k])
		}
		m.figures[name] = figures
	}
	merged, err := m.store.PutFigures(context.Background(), m.figures)
	if err != nil {
		panic(fmt.Sprintf("memory refused figures: %v", err))
	}
	m.figures = merged
}

// stamp is the simulation's time as a date.
func stamp(t float64) time.Time {
	return time.Unix(1_700_000_000, 0).UTC().Add(time.Duration(t * float64(time.Second)))
}
