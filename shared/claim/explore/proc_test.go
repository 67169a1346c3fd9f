package explore

import (
	"errors"
	"iter"
	"strconv"
	"time"

	"onceway.internal/shared/claim"
)

// opKind says before what a process stopped.
type opKind uint8

const (
	opCreate opKind = iota + 1
	opSwap
	opGet
	opList
	opPublishLetter
	opPublishEvent
	opLetterGet
	opLetterDelete
	opLetterList
	opBefore // the handler, before Begin
	opAct    // the handler, between its last look at the time and the effect
	opLook   // somebody looks whether the effect happened
	opAck
)

var opNames = [...]string{"", "create", "swap", "get", "list", "publish letter", "publish event again",
	"get letter", "delete letter", "list letters", "decide to begin", "act", "look at the world", "ack"}

func (k opKind) String() string { return opNames[k] }

// timeless reports whether a process stopped there has no deadline that still counts.
func (k opKind) timeless() bool { return k == opAct || k == opAck }

func (k opKind) write() bool   { return k == opCreate || k == opSwap }
func (k opKind) publish() bool { return k == opPublishLetter || k == opPublishEvent }

// how says what becomes of the step before which a process stopped.
type how uint8

const (
	goOn    how = iota
	lost        // it does not happen, and the process sees an error
	lostAck     // it happens, and the process sees an error
	late        // the process sees an error; it happens later, or never
	died        // the host died: nothing that the process does counts any more

	// what a handler may do before its effect, and after it
	failPlain
	failPermanent
	failNoEffect
	failPanic
	actFailPlain
	actFailPermanent
	actPanic
)

var howNames = [...]string{"", "fails before it happens", "happens, reply lost", "fails, may still happen later", "dies",
	"fails before the effect", "fails for good before the effect", "says: certainly no effect", "panics before the effect",
	"acts, then fails", "acts, then fails for good", "acts, then panics"}

func (h how) String() string { return howNames[h] }

// errOutside is what a failing outside answers; errDead what a dead process sees.
var (
	errOutside = errors.New("unavailable")
	errDead    = errors.New("this process is dead")
)

// proc is one process of the world: a delivery, a sweep, a person.
type proc struct {
	w    *world
	name string // A1 is the first delivery on host A
	host *host

	resume func() (opKind, bool)
	stop   func()
	yield  func(opKind) bool

	at     opKind // before what it stopped
	how    how    // with what it goes on
	live   bool
	dead   bool
	auto   bool // goes on by itself: in an ending
	slept  time.Duration
	tokens int
	hist   hash         // of all that it saw
	since  time.Time    // the world's time when it last went on
	begun  time.Time    // and when it began
	lists  int          // that it has read
	owns   bool         // it wrote, or may have: else it only watches
	proved claim.Stored // the last record that it was shown as its own

	msg   *message // of a delivery
	acted bool     // its handler's effect happened
	ran   bool     // its handler ran
	asked answer   // what it was told about the effect
}

// answer is what somebody was told about the effect, and when.
type answer struct {
	at   time.Time
	done bool
	ok   bool
}

// start runs f as a process up to its first stop.
func (w *world) start(name string, h *host, f func(p *proc)) *proc {
	p := &proc{w: w, name: name, host: h, live: true, auto: w.ending, hist: newHash().str(name), since: w.now, begun: w.now}
	w.procs = append(w.procs, p)
	if !w.ending {
		w.turnTo(p)
	}
	p.resume, p.stop = iter.Pull(func(yield func(opKind) bool) {
		p.yield = yield
		p.growStack()
		f(p)
	})
	w.step(p, goOn)
	return p
}

// step lets p go on to its next stop or its end.
func (w *world) step(p *proc, with how) {
	before := w.cur
	w.cur, p.how = p, with
	p.hist = p.hist.num(uint64(with))
	if !p.at.timeless() {
		p.hist = p.hist.num(uint64(w.now.Sub(p.since)))
	}
	p.since = w.now
	p.at, p.live = p.resume()
	w.cur = before
}

// kill ends p: whatever it still tries, fails and changes nothing.
func (w *world) kill(p *proc) {
	p.dead = true
	before := w.cur
	w.cur = p
	p.stop()
	w.cur, p.live = before, false
}

// ask stops the running process before k and answers with what becomes of it.
func (w *world) ask(k opKind) (*proc, how) {
	p := w.cur
	if p.dead {
		return p, died
	}
	if p.auto {
		return p, goOn
	}
	p.forget(k)
	if !p.yield(k) {
		p.dead = true
		return p, died
	}
	return p, p.how
}

// sees remembers what p was answered.
func (p *proc) sees(err error) {
	if err == nil {
		p.hist = p.hist.num(1)
		return
	}
	p.hist = p.hist.str(err.Error())
}

// forget reduces what a delivery saw to what is left of it. One that only watches
// another's claim and is about to look again goes by how long it has waited. A handler
// about to act goes by the claim that it proved last. An acknowledgement is just that.
// A sweep about to read its next list only counts what it did with the one before.
func (p *proc) forget(k opKind) {
	if p.w.s.whole {
		return
	}
	h := newHash().str(p.name)
	if p.msg != nil {
		h = h.str(p.msg.m.ID)
	}
	switch {
	case k == opList, k == opLetterList:
		p.hist = h.num(uint64(p.lists))
		p.lists++
	case p.msg == nil:
	case k == opGet && !p.owns:
		p.hist = h.num(uint64(p.slept)).num(uint64(p.since.Sub(p.begun)))
	case k == opAct:
		p.hist = h.num(uint64(p.tokens)).str(p.proved.WriteID).str(string(p.proved.State)).
			num(uint64(p.proved.Epoch)).num(uint64(p.proved.Attempts))
	case k == opAck:
		p.hist = h
	}
}

// growStack spares a coroutine from growing its stack bit by bit, which copies it each time.
//
//go:noinline
func (p *proc) growStack() byte {
	var room [12 << 10]byte
	return room[p.tokens]
}

func (p *proc) token() string {
	p.tokens++
	return p.name + "." + strconv.Itoa(p.tokens)
}
