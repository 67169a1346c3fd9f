package explore

import (
	"fmt"
	"slices"
	"strings"

	"onceway.internal/shared/claim"
)

// found is what a search came to.
type found struct {
	schedules, states, depth int
	taken                    map[claim.Transition]int
	violated                 *violation
	trace                    []choice
	outside                  map[string]bool // what the states look like, if asked for
}

// search plays every schedule of s, shortest first, each from the start, until none is
// left that leads to a new state or one violates what must hold.
// With ends, it also checks of every state that it can end. Nothing more is played
// after `most` schedules.
func search(s scenario, most int, ends bool) found {
	f := found{taken: map[claim.Transition]int{}}
	if s.looks {
		f.outside = map[string]bool{}
	}
	type node struct {
		trace []choice
		next  []choice
	}
	root := newWorld(s)
	seen := map[hash][]bounds{root.hash(): {root.left}}
	frontier := []node{{next: root.enabled()}}
	for len(frontier) > 0 {
		var deeper []node
		for _, n := range frontier {
			for _, c := range n.next {
				trace := append(n.trace[:len(n.trace):len(n.trace)], c)
				w := f.play(s, trace)
				h := w.hash()
				before := seen[h]
				covered := slices.ContainsFunc(before, func(b bounds) bool { return b.covers(w.left) })
				if !covered && w.violated == nil {
					seen[h] = append(before, w.left)
					if f.outside != nil {
						f.outside[w.outside()] = true
					}
					if next := w.enabled(); len(next) > 0 {
						deeper = append(deeper, node{trace, next})
					}
					if len(before) == 0 && ends {
						w.end()
					}
				}
				w.abandon()
				if w.violated != nil || f.schedules == most {
					f.violated, f.trace, f.states = w.violated, trace, len(seen)
					return f
				}
			}
		}
		if len(deeper) > 0 {
			f.depth++
		}
		frontier = deeper

	}
	f.states = len(seen)
	return f
}

// play plays a schedule and counts the transitions of its last step.
func (f *found) play(s scenario, trace []choice) *world {
	w := newWorld(s)
	for _, c := range trace[:len(trace)-1] {
		w.apply(c)
	}
	w.observe = func(t claim.Transition) { f.taken[t]++ }
	w.apply(trace[len(trace)-1])
	f.schedules++
	return w
}

// abandon ends every process that still runs.
func (w *world) abandon() {
	for _, p := range w.procs {
		if p.live {
			w.kill(p)
		}
	}
}

// tell retells a trace, one step a line.
func tell(s scenario, trace []choice) string {
	var b strings.Builder
	w := newWorld(s)
	for i, c := range trace {
		fmt.Fprintf(&b, "    %2d. %s", i+1, w.describe(c))
		w.note = func(text string) { fmt.Fprintf(&b, "; %s", text) }
		w.apply(c)
		b.WriteByte('\n')
	}
	w.note = func(text string) { fmt.Fprintf(&b, "        then %s\n", text) }
	if w.violated == nil {
		w.end()
	}
	w.abandon()
	if w.violated != nil {
		fmt.Fprintf(&b, "    violation %q: %s\n", w.violated.kind, w.violated.text)
	}
	return b.String()
}
