package explore

import "fmt"

// verb is what a choice does to the world.
type verb uint8

const (
	stepProc    verb = iota // process `who` goes on, with `how`
	deliver                 // message `arg` is delivered on host `who`
	startSweep              // the scheduled sweep begins
	startPerson             // a person sets out to settle the parked claim
	startReplay             // a person replays the stored letter `arg`
	storeLetter             // Letters stores the published letter `arg`; with lostAck it gets it again
	land                    // the floating write `arg` arrives
	passLease               // time passes until the lease is over
	passSettle              // time passes until NotDone is believed
	killHost                // host `who` dies and comes back empty
)

// choice is one step of a schedule.
type choice struct {
	do  verb
	who uint8
	how how
	arg uint8
}

// describe says what c does to w as it stands.
func (w *world) describe(c choice) string {
	switch c.do {
	case stepProc:
		p := w.procs[c.who]
		if c.how == goOn {
			return fmt.Sprintf("%s: %s", p.name, p.at)
		}
		return fmt.Sprintf("%s: %s: %s", p.name, p.at, c.how)
	case deliver:
		m := w.messages[c.arg]
		again := ""
		if m.acked {
			again = ", a late duplicate"
		}
		return fmt.Sprintf("host %s gets %s%s", w.hosts[c.who].name, m.m.ID, again)
	case startSweep:
		return "Sweep begins"
	case startPerson:
		return "a person sets out to settle the claim"
	case startReplay:
		return "a person replays letter " + short(w.kept[c.arg].id)
	case storeLetter:
		return "Letters stores letter " + short(w.topic[c.arg].id)
	case land:
		f := w.floating[c.arg]
		return fmt.Sprintf("the late write of %s arrives: %s", f.by.name, f.record.State)
	case passLease:
		return "time passes: the lease is over"
	case passSettle:
		return "time passes: NotDone is believed from now on"
	default:
		return "host " + w.hosts[c.who].name + " dies"
	}
}

// short is a letter's ID without the claim's.
func short(id string) string {
	if len(id) > 64 {
		return "…" + id[64:]
	}
	return id
}
