package once

import (
	"context"
	"errors"
	"fmt"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
)

// own does what the holder of a claim has to do: run the handler and settle, or
// give the event up.
func (d *delivery) own(ctx context.Context, hold *claim.Hold) (Outcome, error) {
	if hold.Bury() {
		if d.planErr != nil {
			return d.bury(ctx, hold, letter.Poison, d.planErr)
		}
		return d.bury(ctx, hold, letter.AttemptsSpent, errors.New(spentText(hold.Stored())))
	}
	run := d.run(ctx, hold)
	d.rep.Handled = run.took
	return d.settle(ctx, hold, run)
}

func spentText(s claim.Stored) string {
	if s.LastError == "" {
		return "every attempt ended without an answer"
	}
	return s.LastError
}

// settle turns what the handler answered into the claim's next state.
func (d *delivery) settle(ctx context.Context, hold *claim.Hold, run ran) (Outcome, error) {
	s := hold.Stored()
	spent := s.Attempts >= d.r.c.Claims.Config().MaxAttempts && d.r.c.Lifetime.Err() == nil
	switch decide(run, s.State, s.Policy, spent) {
	case finish:
		return d.finish(ctx, hold, run.result)
	case park:
		return d.park(ctx, hold, run.err)
	case bury:
		reason := letter.AttemptsSpent
		if p, ok := errors.AsType[*PermanentError](run.err); ok {
			reason = p.Reason
		}
		return d.bury(ctx, hold, reason, run.err)
	case releaseUnchanged:
		return d.release(ctx, hold, run.err, true)
	default:
		return d.release(ctx, hold, run.err, false)
	}
}

func (d *delivery) finish(ctx context.Context, hold *claim.Hold, result []byte) (Outcome, error) {
	if err := hold.Finish(ctx, result); err != nil {
		return d.unfinished(ctx, err)
	}
	d.sawRecord(hold.Stored())
	d.r.remember(hold.Stored())
	return Done, nil
}

func (d *delivery) release(ctx context.Context, hold *claim.Hold, cause error, noEffect bool) (Outcome, error) {
	if err := hold.Release(ctx, cause, noEffect); err != nil {
		return d.unfinished(ctx, errors.Join(cause, err))
	}
	d.sawRecord(hold.Stored())
	return Failed, cause
}

// park keeps the event before the claim says that it is kept.
func (d *delivery) park(ctx context.Context, hold *claim.Hold, cause error) (Outcome, error) {
	if err := d.publish(ctx, d.letter(hold.Stored(), letter.IndeterminateBy, cause)); err != nil {
		return StoreDown, errors.Join(cause, err) // the claim stays in EFFECT: whoever finds its lease over parks it
	}
	if err := hold.Park(ctx, letter.IndeterminateBy, cause); err != nil {
		return d.unfinished(ctx, errors.Join(cause, err))
	}
	d.sawRecord(hold.Stored())
	return Parked, cause
}

func (d *delivery) bury(ctx context.Context, hold *claim.Hold, reason string, cause error) (Outcome, error) {
	if err := d.publish(ctx, d.letter(hold.Stored(), reason, cause)); err != nil {
		return d.release(ctx, hold, errors.Join(cause, err), false)
	}
	if err := hold.Kill(ctx, reason, cause); err != nil {
		return d.unfinished(ctx, errors.Join(cause, err))
	}
	d.sawRecord(hold.Stored())
	return DeadLettered, cause
}

// unfinished answers for an owner whose last write did not stand. If the claim is
// settled all the same, by its own late write or by somebody who parked it, the
// event is kept and may be acknowledged. In any other case it is not.
func (d *delivery) unfinished(ctx context.Context, err error) (Outcome, error) {
	s, lerr := d.r.c.Claims.Look(context.WithoutCancel(ctx), d.rep.ClaimID)
	if lerr != nil {
		return StoreDown, errors.Join(err, lerr)
	}
	d.sawRecord(s)
	if s.State.Settled() {
		return Duplicate, err
	}
	if errors.Is(err, claim.ErrLost) {
		return InFlight, err
	}
	return StoreDown, fmt.Errorf("settle claim: %w", err)
}
