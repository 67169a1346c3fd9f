package explore

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/once"
	"onceway.internal/shared/settle"
)

// host is one process of the operating system: its deliveries share a Runner, with its
// cache and its places for those that wait, and they die together.
type host struct {
	w       *world
	name    string
	index   int
	skew    time.Duration
	started int
	cached  bool // its Runner remembers the event as done

	machine *claim.Machine
	runner  *once.Runner
}

func (h *host) busy() bool {
	for _, p := range h.w.procs {
		if p.live && p.host == h {
			return true
		}
	}
	return false
}

// die ends everything on the host; what it kept in memory is gone.
func (h *host) die() {
	for _, p := range h.w.procs {
		if p.live && p.host == h {
			h.w.kill(p)
		}
	}
	h.runner, h.cached = nil, false
}

func (h *host) claims() *claim.Machine {
	if h.machine != nil {
		return h.machine
	}
	w := h.w
	var store claim.Store = storePort{w}
	if w.s.plant.store != nil {
		store = w.s.plant.store(w, store)
	}
	token := func() string { return w.cur.token() }
	if w.s.plant.token != nil {
		token = func() string { return w.s.plant.token(w.cur) }
	}
	m, err := claim.NewMachine(claim.Config{
		Store: store, Clock: hostClock{w, h.skew}, Token: token,
		Lease: lease, TTL: 24 * time.Hour, SettleAfter: settleAfter, MaxAttempts: maxAttempts,
		StoreTimeout: 5 * time.Second, FinishBudget: w.s.budget(),
		Observe: func(t claim.Transition) { w.observe(t) },
	})
	if err != nil {
		panic(err)
	}
	h.machine = m
	return m
}

func (h *host) run() *once.Runner {
	if h.runner != nil {
		return h.runner
	}
	r, err := once.NewRunner(once.Config{
		Claims: h.claims(), DeadLetters: deadLetters{h.w}, Clock: hostClock{h.w, h.skew},
		Log: slog.New(slog.DiscardHandler), HandlerTimeout: handlerTimeout, Margin: time.Second,
		PublishTimeout: 10 * time.Second, WaitBound: 2 * waitPoll, WaitPoll: waitPoll,
		Slots: 4, CacheSize: 2, Lifetime: context.Background(),
	})
	if err != nil {
		panic(err)
	}
	h.runner = r
	return r
}

// deliver starts a delivery of m.
func (h *host) deliver(m *message) *proc {
	h.started++
	return h.w.start(h.name+strconv.Itoa(h.started), h, func(p *proc) {
		p.msg, p.hist = m, p.hist.str(m.m.ID)
		if h.w.s.beats && h.name == "B" {
			if h.beat(p, m) {
				h.ack(p, once.Report{Outcome: once.Done})
			}
			return
		}
		rep := h.run().Deliver(context.Background(), handler{h.w, h}, m.m)
		if p.dead {
			return
		}
		h.cached = h.cached || rep.State == claim.Done
		ack := rep.Outcome.Ack()
		if h.w.s.plant.ack != nil {
			ack = ack || h.w.s.plant.ack(p, rep)
		}
		if ack {
			h.ack(p, rep)
			return
		}
		h.w.note(p.name + " answers " + string(rep.Outcome) + ": not acknowledged")
	})
}

func (h *host) ack(p *proc, rep once.Report) {
	if p.msg.acked {
		return
	}
	if _, how := h.w.ask(opAck); how == goOn {
		h.w.note(p.name + " answers " + string(rep.Outcome) + ": acknowledged")
		p.msg.acked = true
		h.w.checkAck(p, rep)
	}
}

func (h *host) settler() *settle.Settler {
	w := h.w
	var lister claim.Lister = storePort{w}
	if w.s.plant.lister != nil {
		lister = w.s.plant.lister(w, lister)
	}
	s, err := settle.New(settle.Config{
		Claims: h.claims(), Lister: lister, Letters: letterPort{w}, Publisher: events{w}, Topics: events{w},
		Verifiers: []once.Verifier{handler{w, h}}, Horizon: time.Hour, VerifyTimeout: time.Second, Pages: 1,
	})
	if err != nil {
		panic(err)
	}
	return s
}

func (h *host) sweep() {
	h.started++
	h.w.start("sweep"+strconv.Itoa(h.started), h, func(*proc) {
		_, _ = h.settler().Sweep(context.Background())
	})
}

// person reads the claim, looks whether the effect happened, and says so.
func (h *host) person() {
	h.started++
	h.w.start("person"+strconv.Itoa(h.started), h, func(p *proc) {
		ctx := context.Background()
		if h.w.s.plant.lookOnly && h.w.look() != nil {
			return
		}
		rec, err := h.claims().Look(ctx, claim.ID(handlerName, key))
		if err != nil || rec.State != claim.Indeterminate {
			return
		}
		if !h.w.s.plant.lookOnly && h.w.look() != nil {
			return
		}
		if p.asked.done {
			_, _ = h.settler().SettleDone(ctx, rec, "operator", "it acted")
			return
		}
		_, _ = h.settler().SettleRetry(ctx, rec, "operator", "it did not act")
	})
}

func (h *host) replay(id string) {
	h.started++
	h.w.start("person"+strconv.Itoa(h.started), h, func(p *proc) {
		p.hist = p.hist.str(id)
		_ = h.settler().Replay(context.Background(), id, settle.Replay{By: "operator", Why: "again"})
	})
}
