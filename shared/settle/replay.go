package settle

import (
	"context"
	"errors"
	"fmt"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
)

// Replay says how a letter is to be run again.
type Replay struct {
	// By and Why stand in the claim's trace: "operator", and who or which act, and a
	// few words.
	By, Why string
	// ClaimID names the claim of a letter that brings no key of its own: a person
	// matched them by payload hash.
	ClaimID string
	// NewKey runs the event as a new one, whatever became of the old.
	NewKey bool
	// Operation, where there is one, makes the new key: a repeat of the same act is
	// the same event.
	Operation string
}

// Replay runs a letter's event again under its key. A claim that is DONE is reported
// and not run; one that is parked has to be resolved instead.
func (s *Settler) Replay(ctx context.Context, letterID string, how Replay) error {
	l, err := s.c.Letters.Get(ctx, letterID)
	if err != nil {
		return err
	}
	if how.NewKey {
		if how.Operation == "" {
			how.Operation = claim.NewToken()
		}
		return s.again(ctx, l, "replay-"+how.Operation, l.Handler)
	}
	if l.Reason == letter.PayloadMismatch {
		return fmt.Errorf("%w: its key is taken by another payload: replay with a new key", ErrNeedsKey)
	}
	id, err := claimOf(l, how)
	if err != nil {
		return err
	}
	rec, err := s.c.Claims.Look(ctx, id)
	switch {
	case errors.Is(err, claim.ErrNotFound):
		return s.replayUnclaimed(ctx, l)
	case err != nil:
		return err
	case rec.PayloadHash != l.PayloadHash:
		return fmt.Errorf("%w: claim %s is of another payload", ErrNeedsKey, id)
	}
	return s.replayClaimed(ctx, l, rec, how)
}

func claimOf(l letter.Letter, how Replay) (string, error) {
	switch {
	case l.Key != "" && l.Handler != "":
		return claim.ID(l.Handler, l.Key), nil
	case how.ClaimID != "":
		return how.ClaimID, nil
	}
	return "", fmt.Errorf("%w: name its claim (find it by payload hash %s), or replay with a new key", ErrNeedsKey, l.PayloadHash)
}

func (s *Settler) replayClaimed(ctx context.Context, l letter.Letter, rec claim.Stored, how Replay) error {
	switch rec.State {
	case claim.Done:
		return fmt.Errorf("%w: in epoch %d", ErrAlreadyDone, rec.Epoch)
	case claim.Indeterminate:
		return fmt.Errorf("%w: resolve claim %s as done or retry", ErrParked, rec.ID)
	case claim.Dead:
		if _, err := s.c.Claims.Replay(ctx, rec, how.By, how.Why); err != nil {
			return err
		}
	case claim.Claimed, claim.Effect:
		if l.Epoch == rec.Epoch {
			// Its owner published this letter and is about to park or bury the claim on
			// the strength of it, and then the duplicate is acknowledged: the letter stays.
			return s.publish(ctx, l, rec.Key, rec.Handler)
		}
	case claim.Retry:
		// It will run or runs: once more on the topic is one duplicate more.
	default:
		return fmt.Errorf("%w: claim %s", claim.ErrUnreadable, rec.ID)
	}
	return s.again(ctx, l, rec.Key, rec.Handler)
}

// replayUnclaimed runs a letter whose claim is not there. Either there never was one
// (the store was down all the while), or it was cleaned away, and with it the proof
// that the event acted.
func (s *Settler) replayUnclaimed(ctx context.Context, l letter.Letter) error {
	age := s.c.Claims.Config().Clock.Now().Sub(l.PublishedAt)
	if l.Epoch > 0 || l.PublishedAt.IsZero() || age > s.c.Claims.Config().TTL {
		return fmt.Errorf("%w: the letter is %v old: make sure that it did not act, then replay with a new key", ErrForgotten, age.Round(1e9))
	}
	return s.again(ctx, l, l.Key, l.Handler)
}
