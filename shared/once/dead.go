package once

import (
	"context"
	"errors"
	"fmt"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
)

// letter makes the dead letter of this event as it was delivered.
func (d *delivery) letter(s claim.Stored, reason string, cause error) letter.Letter {
	return letter.Letter{
		ID:  letter.ID(s.ID, s.Epoch),
		Key: d.req.Key, Handler: d.req.Handler, Reason: reason,
		Attempts: s.Attempts, Epoch: s.Epoch, Error: errorText(cause),
		Source: d.m.Subscription, MessageID: d.m.ID,
		Attributes: d.m.Attributes, OrderingKey: d.m.OrderingKey,
		Data: d.m.Data, PayloadHash: d.req.PayloadHash,
	}
}

func (d *delivery) publish(ctx context.Context, l letter.Letter) error {
	ctx, cancel := d.r.c.Clock.WithTimeout(context.WithoutCancel(ctx), d.r.c.PublishTimeout)
	defer cancel()
	if err := d.r.c.DeadLetters.Publish(ctx, l); err != nil {
		return fmt.Errorf("publish dead letter: %w", err)
	}
	return nil
}

// mismatch keeps an event that came under a known key with other data: a publisher's
// mistake that must not act, nor vanish. The claim stays as it is.
func (d *delivery) mismatch(ctx context.Context, s claim.Stored) (Outcome, error) {
	if d.needResult {
		d.rep.Result = nil // it answers another payload
		return PayloadMismatch, errMismatch
	}
	l := d.letter(s, letter.PayloadMismatch, errMismatch)
	l.ID = letter.MismatchID(s.ID, d.req.PayloadHash)
	if err := d.publish(ctx, l); err != nil {
		return Failed, err
	}
	return PayloadMismatch, errMismatch
}

var errMismatch = errors.New("the key is known with another payload")

// parkAbandoned parks a claim whose at-most-once owner vanished inside its effect.
// Without an outcome the claim changed meanwhile and the encounter says to what.
func (d *delivery) parkAbandoned(ctx context.Context, s claim.Stored) (claim.Encounter, Outcome, error) {
	cause := errors.New("its owner vanished inside the effect")
	if err := d.publish(ctx, d.letter(s, letter.IndeterminateBy, cause)); err != nil {
		return claim.Encounter{}, Failed, err
	}
	got, err := d.r.c.Claims.Abandoned(context.WithoutCancel(ctx), s, letter.IndeterminateBy)
	switch {
	case err == nil:
		d.sawRecord(got)
		return claim.Encounter{}, Parked, cause
	case errors.Is(err, claim.ErrConflict):
		e, err := d.r.c.Claims.Meet(context.WithoutCancel(ctx), d.req, got)
		return e, "", err
	}
	return claim.Encounter{}, StoreDown, fmt.Errorf("park claim: %w", err)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return claim.Cut(err.Error(), claim.MaxError)
}
