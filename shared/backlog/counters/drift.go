package counters

import (
	"time"

	"onceway.internal/shared/backlog"
)

// drift is how far a counter is above (or, negative, below) what the reference
// sampled. The last two samples have to agree that it is off, and the smaller of
// their answers counts.
func drift(c Counter, s backlog.Sample) int64 {
	now := outside(c, s.At, s.Undelivered)
	earlier := outside(c, s.Earlier.At, s.Earlier.Undelivered)
	switch {
	case now > 0 && earlier > 0:
		return min(now, earlier)
	case now < 0 && earlier < 0:
		return max(now, earlier)
	}
	return 0
}

// outside is by how much a figure true at t lies outside of what was noted of
// the counter just before and after; 0 where the notes can't tell. Where the
// counter moved by more than that meanwhile, it may well have been there.
func outside(c Counter, t time.Time, figure int64) (off int64) {
	var before, after *Note
	for i := range c.Notes {
		n := &c.Notes[i]
		if !n.At.After(c.Corrected) {
			continue // off by what the correction mended
		}
		if !n.At.After(t) && (before == nil || n.At.After(before.At)) {
			before = n
		}
		if !n.At.Before(t) && (after == nil || n.At.Before(after.At)) {
			after = n
		}
	}
	if before == nil || after == nil {
		return 0
	}
	low, high := min(before.Count, after.Count), max(before.Count, after.Count)
	switch {
	case figure < low:
		off = low - figure
	case figure > high:
		off = high - figure
	}
	if max(off, -off) <= high-low {
		return 0
	}
	return off
}
