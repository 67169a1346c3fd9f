package explore

import "onceway.internal/shared/claim"

// enabled lists what may happen next.
func (w *world) enabled() []choice {
	var all []choice
	turn := w.left.switches > 0 || w.last == nil || !w.last.live
	for i, p := range w.procs {
		if p.live && (p == w.last || turn) {
			all = w.stepsOf(all, uint8(i), p)
		}
	}
	if turn {
		all = w.deliveries(all)
	}
	all = w.passings(all)
	for i := range w.topic {
		all = append(all, choice{do: storeLetter, arg: uint8(i)})
		if w.left.faults > 0 {
			all = append(all, choice{do: storeLetter, how: lostAck, arg: uint8(i)})
		}
	}
	for i := range w.floating {
		all = append(all, choice{do: land, arg: uint8(i)})
	}
	if turn && w.left.acts > 0 {
		all = w.settlings(all)
	}
	if w.left.faults > 0 {
		for i, h := range w.hosts {
			if h.busy() {
				all = append(all, choice{do: killHost, who: uint8(i)})
			}
		}
	}
	return all
}

// stepsOf lists how p may go on.
func (w *world) stepsOf(all []choice, i uint8, p *proc) []choice {
	add := func(ways ...how) {
		for _, h := range ways {
			all = append(all, choice{do: stepProc, who: i, how: h})
		}
	}
	add(goOn)
	if w.left.faults > 0 {
		switch {
		case p.at.write():
			add(lost, lostAck, late)
		case p.at.publish(), p.at == opLetterDelete:
			add(lost, lostAck)
		case p.at != opBefore && p.at != opAct:
			add(lost)
		}
	}
	if w.left.mishaps > 0 {
		switch p.at {
		case opBefore:
			add(failPlain, failPermanent)
		case opAct:
			add(failPlain, failPermanent, failNoEffect, actFailPlain, actFailPermanent)
			if w.s.panics {
				add(failPanic, actPanic)
			}
		}
	}
	return all
}

// deliveries lists which message may be delivered where. Deliveries on one host are
// alike, so they are numbered in the order in which they begin.
func (w *world) deliveries(all []choice) []choice {
	for i, most := range []int{w.s.onA, w.s.onB} {
		if w.hosts[i].started >= most {
			continue
		}
		for j, m := range w.messages {
			if !m.acked || w.left.again > 0 {
				all = append(all, choice{do: deliver, who: uint8(i), arg: uint8(j)})
			}
		}
	}
	return all
}

// passings lists how time may pass: only so far that somebody could notice.
func (w *world) passings(all []choice) []choice {
	if w.rec == nil {
		return all
	}
	if w.rec.State.Owned() && !w.now.After(w.leaseEnd) {
		all = append(all, choice{do: passLease})
	}
	if w.rec.State == claim.Indeterminate && !w.now.After(w.leaseEnd.Add(settleAfter)) {
		all = append(all, choice{do: passSettle})
	}
	return all
}

// settlings lists who may set out to settle. Nothing is started that would find
// nothing to do: who starts now and reads later is as good as who starts later.
func (w *world) settlings(all []choice) []choice {
	if w.rec == nil {
		return all
	}
	parked := w.rec.State == claim.Indeterminate
	if w.s.sweep && (parked || w.rec.State == claim.Retry && w.rec.Republish || w.rec.State == claim.Done && len(w.kept) > 0) {
		all = append(all, choice{do: startSweep})
	}
	if w.s.person && parked {
		all = append(all, choice{do: startPerson})
	}
	if w.s.replay {
		for i := range w.kept {
			all = append(all, choice{do: startReplay, arg: uint8(i)})
		}
	}
	return all
}
