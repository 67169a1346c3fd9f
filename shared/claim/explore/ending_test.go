package explore

import (
	"context"
	"strconv"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/settle"
)

// mostSteps bounds an ending; none needs half of it.
const mostSteps = 40

// end checks that every path can still end: everything dies, and then, without any
// fault, events are delivered, letters stored and broken-off replays swept until
// nothing is outstanding. The claim must be DONE, or its event kept; and from there a
// person who looks brings it to DONE.
func (w *world) end() {
	for _, h := range w.hosts {
		h.die()
	}
	w.ending, w.floating = true, nil
	w.observe = func(claim.Transition) {}
	for range mostSteps {
		if w.violated != nil || w.rec != nil && w.rec.State == claim.Done && !w.outstanding() {
			return
		}
		if !w.settleDown() && !w.decide() {
			break
		}
		w.checkEvents()
	}
	w.violate("ending", "stuck at %s with %d letters", w.state(), len(w.kept))
}

func (w *world) outstanding() bool {
	for _, m := range w.messages {
		if !m.acked {
			return true
		}
	}
	return false
}

// settleDown takes one step that needs no person.
func (w *world) settleDown() bool {
	if len(w.topic) > 0 {
		w.keep(0, false)
		return true
	}
	if w.rec != nil && w.rec.State.Owned() && !w.now.After(w.leaseEnd) {
		w.now = w.leaseEnd.Add(time.Millisecond)
		return true
	}
	for _, m := range w.messages {
		if !m.acked {
			w.hosts[3].deliver(m)
			return true
		}
	}
	if w.rec.State == claim.Retry && w.rec.Republish && w.holds(letter.ID(w.rec.ID, w.rec.Epoch-1)) {
		w.hosts[3].sweep()
		return true
	}
	return false
}

func (w *world) holds(id string) bool {
	for _, k := range w.kept {
		if k.id == id {
			return true
		}
	}
	return false
}

// decide does what a person has to.
func (w *world) decide() bool {
	switch w.rec.State {
	case claim.Indeterminate:
		w.now = w.leaseEnd.Add(settleAfter + time.Millisecond)
		w.hosts[3].person()
		return true
	case claim.Dead:
		return w.replayAny(letter.ID(w.rec.ID, w.rec.Epoch))
	}
	// Stranded: nothing redelivers it, but a letter holds the event.
	for _, k := range w.kept {
		if k.hash == w.rec.PayloadHash {
			return w.replayAny(k.id)
		}
	}
	return false
}

func (w *world) replayAny(id string) bool {
	var err error
	h := w.hosts[3]
	h.started++
	w.start("end"+strconv.Itoa(h.started), h, func(*proc) {
		err = h.settler().Replay(context.Background(), id, settle.Replay{By: "operator", Why: "the end"})
	})
	if err != nil {
		w.violate("ending", "replay of letter %s: %v", short(id), err)
	}
	return true
}
