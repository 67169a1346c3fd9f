package route

import (
	"math"
	"time"
)

// Reading is what a source said about one queue. Every source is
// mapped to it, so that this package knows none of them.
type Reading struct {
	Backlog   float64   // undelivered messages
	At        time.Time // τ: when that was true, by the source's clock
	OldestAge time.Duration
	// Acked messages were acknowledged in the time Over that ended at At; Over 0
	// means not known.
	Acked float64
	Over  time.Duration
}

// Figure is what is known about one queue.
type Figure struct {
	Backlog   float64       `json:"backlog"`
	At        time.Time     `json:"at"` // τ; zero: no series was ever seen
	OldestAge time.Duration `json:"oldestAge,omitempty"`
	// Rate is learned, messages per second; 0: use the nominal one.
	Rate float64 `json:"rate,omitempty"`
	// Checked is when the source last answered at all, and Gap whether it then
	// had no series for this queue.
	Checked time.Time `json:"checked"`
	Gap     bool      `json:"gap,omitempty"`
}

// Figures are all queues' figures, by group and queue name.
type Figures map[string]map[string]Figure

// Data is the state of a figure.
type Data string

// The data states.
const (
	Fresh   Data = "fresh"   // up to FreshFor old
	Zero    Data = "zero"    // fresh, and a real zero
	Stale   Data = "stale"   // older: the last sample is held, ledger added, drained
	Missing Data = "missing" // the source has no series now: held for HoldMissing, then a capacity share
	Never   Data = "never"   // no series yet: nominal rate, backlog from the ledger alone
)

// Bounds of the data states, by sample age.
const (
	FreshFor    = 360 * time.Second
	HoldMissing = 10 * time.Minute
	// Horizon is how long a stale figure is held, and how far back the ledger counts.
	Horizon = 30 * time.Minute
)

// Data says what the figure is worth at now.
func (f Figure) Data(now time.Time) Data {
	switch {
	case f.At.IsZero():
		return Never
	case f.Gap:
		return Missing
	case now.Sub(f.At) > FreshFor:
		return Stale
	case f.Backlog <= 0:
		return Zero
	}
	return Fresh
}

// Next is the figure after the source answered at checked: with r, or with r nil
// because it has no series for the queue. It does not replace a newer sample.
// When the source could not be asked at all, keep the figure as it is.
func (f Figure) Next(r *Reading, checked time.Time, nominal float64) Figure {
	if !checked.Before(f.Checked) {
		f.Checked, f.Gap = checked, r == nil
	}
	if r == nil || !r.At.After(f.At) {
		return f
	}
	f.Rate = learn(f, *r, nominal)
	f.Backlog, f.At, f.OldestAge = math.Max(0, r.Backlog), r.At, r.OldestAge
	return f
}

// Learned rates move by an EWMA with this time constant and stay within these
// multiples of the nominal rate.
const (
	learnOver = 150 * time.Second
	learnMin  = 0.05
	learnMax  = 2.0
)

// learn takes acknowledgements for a rate only where the queue can't have run
// empty while they were counted: what was acknowledged was all there at the
// start. Else they tell what arrived rather than what the workers can do, and
// only that they can do as much.
func learn(f Figure, r Reading, nominal float64) float64 {
	rate := f.Rate
	if rate <= 0 {
		rate = nominal
	}
	since := r.At.Sub(f.At)
	if f.At.IsZero() || r.Over <= 0 || r.Over > since+since/10+time.Second {
		return f.Rate
	}
	seen := r.Acked / r.Over.Seconds()
	busy := r.Backlog > 0 && f.Backlog >= r.Acked
	if !busy && seen <= rate {
		return f.Rate
	}
	weight := 1 - math.Exp(-r.Over.Seconds()/learnOver.Seconds())
	return math.Min(learnMax*nominal, math.Max(learnMin*nominal, rate+weight*(seen-rate)))
}

// Merge is the newer part of each of two figures: sample and learned rate by
// sample time, gap by when the source was asked.
func (f Figure) Merge(o Figure) Figure {
	if o.At.After(f.At) {
		f.Backlog, f.At, f.OldestAge, f.Rate = o.Backlog, o.At, o.OldestAge, o.Rate
	}
	if o.Checked.After(f.Checked) {
		f.Checked, f.Gap = o.Checked, o.Gap
	}
	return f
}

// Merge returns the figures of both, each queue's newer part; neither argument changes.
func (f Figures) Merge(o Figures) Figures {
	out := make(Figures, len(f))
	for _, from := range []Figures{f, o} {
		for g, queues := range from {
			if out[g] == nil {
				out[g] = make(map[string]Figure, len(queues))
			}
			for q, fig := range queues {
				out[g][q] = out[g][q].Merge(fig)
			}
		}
	}
	return out
}
