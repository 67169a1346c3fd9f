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
	Flow      *Flow // nil: not known
}

// Flow is what went through a queue in a stretch of time: messages acknowledged
// in (From, To], and the backlog at From.
type Flow struct {
	From, To      time.Time
	Acked, Before float64
}

// Figure is what is known about one queue.
type Figure struct {
	Backlog   float64       `json:"backlog"`
	At        time.Time     `json:"at"` // τ; zero: no series was ever seen
	OldestAge time.Duration `json:"oldestAge,omitempty"`
	// Rate is learned, messages per second; 0: use the nominal one.
	Rate float64 `json:"rate,omitempty"`
	// RateAt is the end of the last flow that the rate was learned from.
	RateAt time.Time `json:"rateAt,omitzero"`
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
	f.learn(r.Flow, nominal)
	f.Backlog, f.At, f.OldestAge = math.Max(0, r.Backlog), r.At, r.OldestAge
	return f
}

// Learned rates move by an EWMA with this time constant and stay within these
// multiples of the nominal rate. It is slow on purpose: figures are minutes old, and
// a group that was slow for some minutes is fast again before that is learned.
const (
	learnOver = 10 * time.Minute
	learnMin  = 0.05
	learnMax  = 2.0
)

// learn takes a flow for a rate only where the queue can't have run empty
// meanwhile: what was acknowledged was all there at the start. Else it tells what
// arrived rather than what the workers can do, and only that they can do as much.
func (f *Figure) learn(flow *Flow, nominal float64) {
	if flow == nil || !flow.To.After(f.RateAt) || !flow.To.After(flow.From) {
		return
	}
	rate := f.Rate
	if rate <= 0 {
		rate = nominal
	}
	over := flow.To.Sub(flow.From).Seconds()
	seen := flow.Acked / over
	busy := flow.Before > 0 && flow.Before >= flow.Acked
	if !busy && seen <= rate {
		return
	}
	rate += (1 - math.Exp(-over/learnOver.Seconds())) * (seen - rate)
	f.Rate = math.Min(learnMax*nominal, math.Max(learnMin*nominal, rate))
	f.RateAt = flow.To
}

// Merge is the newer part of each of two figures: sample and learned rate by
// sample time, gap by when the source was asked.
func (f Figure) Merge(o Figure) Figure {
	if o.At.After(f.At) {
		f.Backlog, f.At, f.OldestAge, f.Rate, f.RateAt = o.Backlog, o.At, o.OldestAge, o.Rate, o.RateAt
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
