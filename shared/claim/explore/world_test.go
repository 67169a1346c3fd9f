package explore

import (
	"fmt"
	"slices"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/letter"
)

const (
	handlerName  = "restart"
	key          = "event-1"
	subscription = "projects/demo-project/subscriptions/events"
)

// message is one message of the topic; a delivery of it may begin at any time, as long
// as it is not acknowledged or late duplicates are left.
type message struct {
	m     *envelope.Message
	to    string
	hash  string // of its payload
	acked bool
}

// post is a letter, on the dead-letter topic or stored.
type post struct {
	id, hash string
	m        *envelope.Message
}

// floating is a write whose sender gave it up and that may still arrive.
type floating struct {
	by      *proc
	create  bool
	version string
	record  claim.Record
}

// violation is the first thing that went wrong.
type violation struct{ kind, text string }

// world is everything around the code under test, and what really happened in it.
type world struct {
	s    scenario
	left bounds
	now  time.Time

	store   *memclaim.Store
	letters *memclaim.Letters
	hosts   []*host // A, B, the desk of Sweep and people, and one for endings
	procs   []*proc
	cur     *proc // runs now
	last    *proc // ran last

	messages []*message
	topic    []post
	kept     []post
	floating []floating

	rec      *claim.Stored // the stored claim
	owner    string        // the process that holds it, by name
	leaseEnd time.Time     // by the world's time

	effects, runs, believed, retries int
	lettered                         bool // a letter was ever published

	ending   bool
	observe  func(claim.Transition)
	note     func(string)
	violated *violation
}

func newWorld(s scenario) *world {
	w := &world{s: s, left: s.bounds, now: time.Unix(1_800_000_000, 0).UTC(), note: func(string) {}}
	w.observe = func(claim.Transition) {}
	clock := func() time.Time { return w.now }
	w.store, _ = memclaim.New(8, clock)
	w.letters, _ = memclaim.NewLetters(64, clock)
	for i, name := range []string{"A", "B", "desk", "end"} {
		w.hosts = append(w.hosts, &host{w: w, name: name, index: i})
	}
	w.hosts[1].skew = s.skewB
	w.cur = &proc{w: w, host: w.hosts[2]}
	w.publish("m1", []byte("payload"), map[string]string{letter.AttrKey: key})
	if s.twoPayloads {
		w.publish("x1", []byte("other payload"), map[string]string{letter.AttrKey: key})
	}
	return w
}

func (w *world) publish(id string, data []byte, attributes map[string]string) {
	m, err := envelope.FromPulled(envelope.Pulled{ID: id, Data: data, Attributes: attributes, Subscription: subscription})
	if err != nil {
		panic(err)
	}
	w.messages = append(w.messages, &message{
		m:    m,
		to:   attributes[letter.AttrHandler],
		hash: claim.PayloadHash(data),
	})
}

func (w *world) violate(kind, format string, args ...any) {
	if w.violated == nil {
		w.violated = &violation{kind, fmt.Sprintf(format, args...)}
	}
}

// apply takes one choice.
func (w *world) apply(c choice) {
	switch c.do {
	case stepProc:
		w.spend(c)
		w.turnTo(w.procs[c.who])
		w.step(w.procs[c.who], c.how)
	case deliver:
		if w.messages[c.arg].acked {
			w.left.again--
		}
		w.hosts[c.who].deliver(w.messages[c.arg])
	case startSweep:
		w.left.acts--
		w.hosts[2].sweep()
	case startPerson:
		w.left.acts--
		w.hosts[2].person()
	case startReplay:
		w.left.acts--
		w.hosts[2].replay(w.kept[c.arg].id)
	case storeLetter:
		if c.how == lostAck {
			w.left.faults--
		}
		w.keep(int(c.arg), c.how == lostAck)
	case land:
		f := w.floating[c.arg]
		w.floating = slices.Delete(w.floating, int(c.arg), int(c.arg)+1)
		_, _ = w.commit(f.by, f.create, f.version, f.record)
	case passLease:
		w.now = w.leaseEnd.Add(time.Millisecond)
	case passSettle:
		w.now = w.leaseEnd.Add(settleAfter + time.Millisecond)
	case killHost:
		w.left.faults--
		w.hosts[c.who].die()
	}
	w.checkEvents()
}

// turnTo counts it when a process is left that could go on.
func (w *world) turnTo(p *proc) {
	if w.last != p && w.last != nil && w.last.live {
		w.left.switches--
	}
	w.last = p
}

func (w *world) spend(c choice) {
	switch {
	case c.how == goOn:
	case c.how < failPlain:
		w.left.faults--
	default:
		w.left.mishaps--
	}
}
