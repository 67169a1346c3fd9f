package console

import (
	"fmt"
	"math"
)

// bar is how much of a bar is filled, in percent. A root keeps a queue of a hundred
// visible beside one of a million.
func bar(value *float64, most float64) string {
	if value == nil || *value <= 0 || most <= 0 {
		return "0%"
	}
	return fmt.Sprintf("%.1f%%", max(1.5, 100*math.Sqrt(*value/most)))
}

func deref(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}

func byteSize(n *int) string {
	switch {
	case n == nil:
		return "–"
	case *n < 1024:
		return fmt.Sprintf("%d bytes", *n)
	case *n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(*n)/1024)
	}
	return fmt.Sprintf("%.1f MiB", float64(*n)/(1<<20))
}

// whys are the reasons why a group was no candidate.
var whys = map[string]string{
	"draining": "draining", "reserved": "kept for other customers", "customer-reserved": "the customer has groups of its own",
	"not-open": "not marked open", "probed": "had its probe of this period",
}

func why(code string) string {
	if w, ok := whys[code]; ok {
		return w
	}
	return plain(code)
}

// rules are the rules in words.
var rules = map[string]string{
	"ledger-corrected-score": "lowest score, corrected by the ledger",
	"two-choices":            "lower of two",
	"round-robin":            "in turn",
	"weighted-round-robin":   "in turn, by capacity",
	"lowest-sampled-score":   "lowest score as sampled",
	"static":                 "the configured group",
	"stale-held":             "by score, on an old sample",
	"missing-held":           "by score, across a gap",
	"capacity-share":         "its share by capacity",
	"probe":                  "a probe: no samples yet",
	"capacity-round-robin":   "in turn: no usable scores",
	"state-down-round-robin": "in turn: the store was down",
	"state-down-open-groups": "open groups: the store was down",
	"state-down-default":     "default topic: the store was down",
	"overflow":               "overflow: every group closed",
}

func rule(code string) string {
	if w, ok := rules[code]; ok {
		return w
	}
	return plain(code)
}

// notices are what was done, by the word in the address after it.
var notices = map[string]string{
	"reserve": "The group is reserved. New campaigns of its customers go there, and nobody else's.",
	"release": "The reservation ended. Anybody's campaigns may go there again.",
	"drain":   "The group takes no new campaigns. What is in its queues is still worked off.",
	"undrain": "The group takes campaigns again.",
	"done":    "The claim is settled as done.",
	"retry":   "The claim is settled as not done, and its event was published again.",
	"replay":  "The event was published again, and the letter removed.",
	"drop":    "The letter was dropped.",
}
