package once

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/letter"
)

// delivery is one attempt to hand over one event.
type delivery struct {
	r       *Runner
	h       Handler
	m       *envelope.Message // as it was decoded
	copy    *envelope.Message // the handler's own
	req     claim.Request
	plan    Plan
	planErr error
	begun   time.Time
	rep     Report

	needResult bool // a caller waits for the stored result, and hears of a mismatch itself
}

// Deliver runs h for m under a claim and says what became of it. It returns when the
// handler has returned and the claim is settled as far as the store allows. ctx ends
// the wait for another delivery's claim, not a handler that runs: see Config.Lifetime.
func (r *Runner) Deliver(ctx context.Context, h Handler, m *envelope.Message) Report {
	return r.deliver(ctx, h, m, false)
}

func (r *Runner) deliver(ctx context.Context, h Handler, m *envelope.Message, needResult bool) Report {
	d := &delivery{r: r, h: h, m: m, begun: r.c.Clock.Now(), needResult: needResult}
	d.rep.Handler = h.Name()
	d.rep.Outcome, d.rep.Err = d.outcome(ctx)
	d.rep.Total = r.c.Clock.Now().Sub(d.begun)
	Log(ctx, r.c.Log, m, d.rep)
	r.c.Observe(d.rep)
	return d.rep
}

// outcome goes from meeting to meeting until one decides.
func (d *delivery) outcome(ctx context.Context) (Outcome, error) {
	if to := d.m.Attributes[letter.AttrHandler]; to != "" && to != d.h.Name() {
		return NotMine, nil
	}
	if err := ctx.Err(); err != nil {
		return Failed, fmt.Errorf("begin delivery: %w", err)
	}
	d.freeze()
	if d.r.c.RepeatableOnly && d.planErr == nil && !d.plan.Policy.Repeatable() {
		return Failed, errForgetful
	}
	if !d.needResult && d.r.remembered(d.rep.ClaimID, d.req.PayloadHash) {
		d.rep.State = claim.Done
		return Duplicate, nil
	}
	e, err := d.r.c.Claims.Take(context.WithoutCancel(ctx), d.req)
	wait := d.newWait()
	defer wait.end()
	for {
		d.rep.Claim = d.r.c.Clock.Now().Sub(d.begun)
		if err != nil {
			return StoreDown, err
		}
		d.saw(e)
		switch e.Meeting {
		case claim.Taken:
			return d.own(ctx, e.Hold)
		case claim.Settled:
			d.r.remember(e.Met)
			return Duplicate, nil
		case claim.Mismatch:
			return d.mismatch(ctx, e.Met)
		case claim.Abandoned:
			var outcome Outcome
			if e, outcome, err = d.parkAbandoned(ctx, e.Met); outcome != "" {
				return outcome, err
			}
		case claim.Held:
			if !wait.next(ctx) {
				return InFlight, nil
			}
			e, err = d.look(ctx)
		}
	}
}

// freeze decides key, payload hash and plan before anything else happens.
func (d *delivery) freeze() {
	hash := claim.PayloadHash(d.m.Data)
	d.copy = d.m.Clone()
	d.plan, d.planErr = plan(d.h, d.copy)
	d.req = claim.Request{
		Handler: d.h.Name(), Key: freeze(d.m, d.plan), PayloadHash: hash,
		Subject: d.plan.Subject, Policy: d.plan.Policy, Summary: d.plan.Summary,
		Bury: d.planErr != nil,
	}
	d.rep.ClaimID = claim.ID(d.req.Handler, d.req.Key)
}

// plan asks the handler what the message is. A panic in it is the data's fault as
// much as an error is, and a plan without a policy is nobody's licence to act.
func plan(h Handler, m *envelope.Message) (p Plan, err error) {
	defer func() {
		if v := recover(); v != nil {
			p, err = Plan{}, fmt.Errorf("plan panicked: %v", v)
		}
		if err == nil && !p.Policy.Known() {
			err = fmt.Errorf("plan has no known policy: %q", p.Policy)
		}
		if err != nil {
			p.Policy = claim.AtMostOnce // the strictest: nothing will run
		}
	}()
	return h.Plan(m)
}

// look reads the claim again after a wait and judges what it finds.
func (d *delivery) look(ctx context.Context) (claim.Encounter, error) {
	s, err := d.r.c.Claims.Look(ctx, d.rep.ClaimID)
	if errors.Is(err, claim.ErrNotFound) {
		return d.r.c.Claims.Take(context.WithoutCancel(ctx), d.req)
	}
	if err != nil {
		return claim.Encounter{}, fmt.Errorf("watch claim: %w", err)
	}
	return d.r.c.Claims.Meet(context.WithoutCancel(ctx), d.req, s)
}

func (d *delivery) saw(e claim.Encounter) {
	s := e.Met
	if e.Hold != nil {
		s = e.Hold.Stored()
	}
	d.sawRecord(s)
}

func (d *delivery) sawRecord(s claim.Stored) {
	d.rep.State, d.rep.Epoch, d.rep.Attempt, d.rep.Result = s.State, s.Epoch, s.Attempts, s.Result
}

var errForgetful = errors.New("destructive work is refused on memory claims outside a local run: a restart would forget that it acted")
