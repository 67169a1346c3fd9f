package explore

import (
	"onceway.internal/shared/claim"
	"onceway.internal/shared/once"
)

// act is the effect: the outside world's own count of it.
func (w *world) act(p *proc) {
	if p.dead {
		return
	}
	w.effects++
	w.note(p.name + " acts")
	p.acted = true
	if w.s.destructive() && w.effects > 1+w.believed {
		w.violate("effect", "%s is effect number %d of an at-most-once operation; NotDone was rightly believed %d times", p.name, w.effects, w.believed)
	}
}

// running counts a handler's runs against the attempts allowed.
func (w *world) running(p *proc) {
	p.ran = true
	w.runs++
	if w.runs > maxAttempts*(1+w.retries) {
		w.violate("attempts", "%s is run number %d, with %d attempts and %d operator's retries", p.name, w.runs, maxAttempts, w.retries)
	}
}

// checkEvents: no event is ever lost: its claim is DONE, or a message of it is not
// acknowledged, or a letter holds it.
func (w *world) checkEvents() {
	for _, m := range w.messages {
		if !w.safe(m.hash) {
			w.violate("lost", "nothing holds the event of %s any more", m.m.ID)
		}
	}
}

func (w *world) safe(hash string) bool {
	if w.rec != nil && w.rec.State == claim.Done && w.rec.PayloadHash == hash {
		return true
	}
	for _, m := range w.messages {
		if !m.acked && m.hash == hash {
			return true
		}
	}
	for _, letters := range [][]post{w.topic, w.kept} {
		for _, l := range letters {
			if l.hash == hash {
				return true
			}
		}
	}
	return false
}

// checkAck: an acknowledgement needs a claim that is DONE or a letter that was published.
func (w *world) checkAck(p *proc, rep once.Report) {
	done := w.rec != nil && w.rec.State == claim.Done
	if !done && !w.lettered {
		w.violate("ack", "%s acknowledges as %s, but the claim is %s and no letter was published", p.name, rep.Outcome, w.state())
	}
}

func (w *world) state() claim.State {
	if w.rec == nil {
		return "absent"
	}
	return w.rec.State
}

// written judges one write by what stood there before, by whose it is, and by the
// world's own time.
func (w *world) written(p *proc, prev *claim.Stored, next claim.Stored) {
	if expires := next.State == claim.Done || next.State == claim.Dead; expires == next.ExpireAt.IsZero() {
		w.violate("ttl", "%s writes %s with expiry %v", p.name, next.State, next.ExpireAt)
	}
	switch next.State {
	case claim.Done:
		if w.effects == 0 {
			w.violate("done", "%s writes DONE, but nothing happened", p.name)
		}
	case claim.Dead, claim.Indeterminate:
		if !w.letterOf(next) {
			w.violate("letter", "%s writes %s, but no letter of epoch %d is kept", p.name, next.State, next.Epoch)
		}
	}
	switch {
	case prev == nil:
		w.owns(p, next)
	case prev.State == claim.Done:
		w.violate("final", "%s writes %s over DONE", p.name, next.State)
	case next.Epoch == prev.Epoch:
		w.ownWrite(p, *prev, next)
	case next.Epoch == prev.Epoch+1 && next.State.Owned():
		w.takeover(p, *prev)
		w.owns(p, next)
	case next.Epoch == prev.Epoch+1 && next.State == claim.Retry:
		w.ranAgain(p, *prev)
	default:
		w.violate("zombie", "%s writes %s in epoch %d over %s in epoch %d", p.name, next.State, next.Epoch, prev.State, prev.Epoch)
	}
}

func (w *world) owns(p *proc, s claim.Stored) {
	w.owner, w.leaseEnd = p.name, w.now.Add(s.Lease)
}

// takeover: nobody is robbed of a lease that runs, and what may have acted is not run again.
func (w *world) takeover(p *proc, prev claim.Stored) {
	switch {
	case prev.State == claim.Retry:
	case !prev.State.Owned():
		w.violate("takeover", "%s takes over from %s", p.name, prev.State)
	case !w.now.After(w.leaseEnd):
		w.violate("takeover", "%s takes over while the lease of %s runs", p.name, w.owner)
	case prev.State == claim.Effect && !prev.Policy.Repeatable():
		w.violate("takeover", "%s takes over from an at-most-once EFFECT", p.name)
	}
}

// ranAgain: only what is parked or dead runs again by decision. A truthful NotDone
// counts if it was said when the owner could not act any more.
func (w *world) ranAgain(p *proc, prev claim.Stored) {
	w.retries++
	switch {
	case prev.State == claim.Dead:
	case prev.State != claim.Indeterminate:
		w.violate("zombie", "%s decides RETRY over %s", p.name, prev.State)
	case p.asked.ok && !p.asked.done && p.asked.at.After(w.leaseEnd.Add(settleAfter)):
		w.believed++
	}
}

// ownWrite: within an epoch only the owner writes, except that anybody may park what
// an owner left, and that a parked claim is settled by who looked.
func (w *world) ownWrite(p *proc, prev, next claim.Stored) {
	owner := p.name == w.owner
	if prev.State == claim.Effect && !prev.Policy.Repeatable() {
		if next.State == claim.Dead {
			w.violate("dead", "%s buries an at-most-once EFFECT", p.name)
		}
		if next.State == claim.Retry && p.acted {
			w.violate("retry", "%s gives back what it did", p.name)
		}
	}
	switch {
	case prev.State == claim.Indeterminate && next.State == claim.Done:
		if !owner && !p.asked.done {
			w.violate("done", "%s settles as done what nobody saw", p.name)
		}
	case !prev.State.Owned():
		w.violate("zombie", "%s writes %s over %s", p.name, next.State, prev.State)
	case next.State == claim.Indeterminate:
		if !owner && !w.now.After(w.leaseEnd) {
			w.violate("takeover", "%s parks while the lease of %s runs", p.name, w.owner)
		}
	case !owner:
		w.violate("zombie", "%s writes %s over the %s of %s", p.name, next.State, prev.State, w.owner)
	case next.State.Owned():
		w.leaseEnd = w.now.Add(next.Lease) // Begin and a heartbeat renew it
	}
}
