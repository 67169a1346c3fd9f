package explore

import (
	"context"
	"errors"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/once"
)

// handler is a well-behaved one: it begins where its policy says so, looks at the time
// just before it acts, and says NoEffect only of what did not act.
type handler struct {
	w *world
	h *host
}

var _ once.Verifier = handler{}

var errBroken = errors.New("broken")

func (handler) Name() string { return handlerName }

func (a handler) Plan(*envelope.Message) (once.Plan, error) {
	if a.w.s.poisonOnA && a.h.name == "A" {
		return once.Plan{}, errBroken
	}
	return once.Plan{Subject: "a deployment", Policy: a.w.s.policy, Summary: "restart"}, nil
}

func (a handler) Run(ctx context.Context, d *once.Delivery) error {
	p := a.w.cur
	if !p.dead {
		a.w.running(p)
	}
	if a.w.s.begins {
		if a.w.left.mishaps > 0 {
			if _, h := a.w.ask(opBefore); h != goOn {
				return says(h)
			}
		}
		var err error
		if ctx, err = d.Begin(ctx); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return once.NoEffect(err)
	}
	_, h := a.w.ask(opAct)
	if h == goOn || h >= actFailPlain {
		a.w.act(p)
	}
	return says(h)
}

// says is the handler's answer.
func says(h how) error {
	switch h {
	case goOn:
		return nil
	case failPermanent, actFailPermanent:
		return once.Permanent(errBroken, "broken")
	case failNoEffect:
		return once.NoEffect(errBroken)
	case failPanic, actPanic:
		panic("broken")
	case died:
		return errDead
	}
	return errBroken
}

// Verify answers truthfully as of the moment when it looks.
func (a handler) Verify(context.Context, string, string) (once.Answer, error) {
	if err := a.w.look(); err != nil {
		return once.Unknown, err
	}
	if a.w.cur.asked.done {
		return once.EffectDone, nil
	}
	return once.EffectNotDone, nil
}

// look tells the running process whether the effect happened.
func (w *world) look() error {
	p, h := w.ask(opLook)
	switch h {
	case died:
		return errDead
	case lost:
		p.sees(errOutside)
		return errOutside
	}
	p.asked = answer{at: w.now, done: w.effects > 0, ok: true}
	p.hist = p.hist.bool(p.asked.done)
	return nil
}

// beat is a delivery that holds a claim by hand and renews its lease, before and after
// Begin, as the heartbeat does beside a handler.
func (h *host) beat(p *proc, m *message) bool {
	ctx := context.Background()
	e, err := h.claims().Take(ctx, claim.Request{
		Handler: handlerName, Key: key, Subject: "a deployment", Policy: h.w.s.policy, PayloadHash: m.hash,
	})
	if err != nil || e.Meeting != claim.Taken || e.Hold.Bury() {
		return false
	}
	h.w.running(p)
	if e.Hold.Extend(ctx) != nil || e.Hold.Begin(ctx) != nil || e.Hold.Extend(ctx) != nil {
		return false
	}
	if now := (hostClock{h.w, h.skew}).Now(); !now.Before(e.Hold.ProtectedUntil()) {
		return false
	}
	if _, how := h.w.ask(opAct); how != goOn {
		return false
	}
	h.w.act(p)
	return e.Hold.Finish(ctx, nil) == nil
}
