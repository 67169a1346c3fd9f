package main

import "encoding/json"

// figure is one comparison, made side by side in one run.
type figure struct {
	Name string // as "store/redis/8"
	// Ratio is how well ours does over how well theirs does, or how much ours takes
	// over how much theirs takes: Says tells which.
	Ratio float64
	// Goal bounds the ratio: from below, or from above where Most is set. 0 is no
	// goal: the figure is context.
	Goal float64
	Most bool
	// Says gives both sides in units: absolute values, samples, p50 and p99,
	// allocations.
	Says string
}

// met reports whether the goal is met. A figure without a goal misses none.
func (f figure) met() bool {
	switch {
	case f.Goal == 0:
		return true
	case f.Most:
		return f.Ratio <= f.Goal
	}
	return f.Ratio >= f.Goal
}

// MarshalJSON writes goal, bound and met as null where there is no goal.
func (f figure) MarshalJSON() ([]byte, error) {
	out := struct {
		Name  string   `json:"name"`
		Ratio float64  `json:"ratio"`
		Goal  *float64 `json:"goal"`
		Bound *string  `json:"bound"` // "at least" or "at most"
		Met   *bool    `json:"met"`
		Says  string   `json:"says"`
	}{Name: f.Name, Ratio: rounded(f.Ratio), Says: f.Says}
	if f.Goal != 0 {
		bound, met := f.bound(), f.met()
		out.Goal, out.Bound, out.Met = &f.Goal, &bound, &met
	}
	return json.Marshal(out)
}

func (f figure) bound() string {
	if f.Most {
		return "at most"
	}
	return "at least"
}
