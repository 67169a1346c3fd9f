package settle

import (
	"context"
	"errors"
	"fmt"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
)

const pageSize = 200

// Summary says what one sweep found and did.
type Summary struct {
	Verified   int      `json:"verified"` // parked claims whose handler was asked
	Done       int      `json:"done"`     // of these, settled as done
	Retried    int      `json:"retried"`  // of these, republished
	Waiting    int      `json:"waiting"`  // parked claims that a person has to settle, or that are too young
	Finished   int      `json:"finished"` // replays that had broken off
	Dropped    int      `json:"dropped"`  // letters of claims that are done
	Cleaned    int64    `json:"cleaned"`  // expired claims
	Stranded   []string `json:"stranded"`
	Unreadable []string `json:"unreadable"`
	// Cut says that a bound was reached: some were not looked at.
	Cut bool `json:"cut"`
}

// Sweep does one round. Errors of single claims don't end it: they are joined into
// the one that is answered. Overlapping sweeps are harmless.
func (s *Settler) Sweep(ctx context.Context) (Summary, error) {
	var sum Summary
	err := errors.Join(
		s.each(ctx, &sum, claim.Indeterminate, s.sweepParked),
		s.each(ctx, &sum, claim.Retry, s.sweepRetry),
		s.each(ctx, &sum, claim.Claimed, s.sweepOwned),
		s.each(ctx, &sum, claim.Effect, s.sweepOwned),
		s.each(ctx, &sum, "", s.sweepUnreadable),
		s.sweepLetters(ctx, &sum),
		s.clean(ctx, &sum),
	)
	return sum, err
}

// clean removes what expired, a page at a time.
func (s *Settler) clean(ctx context.Context, sum *Summary) error {
	if s.c.Cleaner == nil {
		return nil
	}
	for range s.c.Pages {
		n, err := s.c.Cleaner.Cleanup(ctx, pageSize)
		if err != nil {
			return fmt.Errorf("clean up: %w", err)
		}
		if sum.Cleaned += n; n < pageSize {
			return nil
		}
	}
	sum.Cut = true
	return nil
}

func (s *Settler) each(ctx context.Context, sum *Summary, state claim.State, f func(context.Context, *Summary, claim.Stored) error) error {
	var errs []error
	page := ""
	for range s.c.Pages {
		records, next, err := s.c.Lister.List(ctx, state, page, pageSize)
		if err != nil {
			return errors.Join(append(errs, fmt.Errorf("list %s claims: %w", state, err))...)
		}
		for _, rec := range records {
			if err := f(ctx, sum, rec); err != nil {
				errs = append(errs, fmt.Errorf("sweep claim %s: %w", rec.ID, err))
			}
		}
		if page = next; page == "" {
			return errors.Join(errs...)
		}
	}
	sum.Cut = true
	return errors.Join(errs...)
}

// sweepParked asks the handler about a parked claim that is old enough for any answer
// to be believed.
func (s *Settler) sweepParked(ctx context.Context, sum *Summary, rec claim.Stored) error {
	verifier, ok := s.verifiers[rec.Handler]
	if !ok || s.c.Claims.MayRetry(rec) != nil {
		sum.Waiting++
		return nil
	}
	sum.Verified++
	vctx, cancel := s.c.Claims.Config().Clock.WithTimeout(ctx, s.c.VerifyTimeout)
	defer cancel()
	answer, err := verifier.Verify(vctx, rec.Subject, rec.OperationID)
	if err != nil {
		sum.Waiting++
		return fmt.Errorf("verify: %w", err)
	}
	switch answer {
	case once.EffectDone:
		if _, err = s.c.Claims.SettleDone(ctx, rec, "verify", "verified"); err == nil {
			sum.Done++
			err = s.remove(ctx, letter.ID(rec.ID, rec.Epoch))
		}
	case once.EffectNotDone:
		if _, err = s.SettleRetry(ctx, rec, "verify", "verified"); err == nil {
			sum.Retried++
		}
	default:
		sum.Waiting++
	}
	if errors.Is(err, claim.ErrConflict) {
		return nil // somebody else settled it meanwhile
	}
	return err
}

// sweepRetry finishes a replay that broke off after its claim was swapped, and reports
// what nobody will redeliver any more.
func (s *Settler) sweepRetry(ctx context.Context, sum *Summary, rec claim.Stored) error {
	if rec.Republish {
		l, err := s.c.Letters.Get(ctx, letter.ID(rec.ID, rec.Epoch-1))
		if err == nil {
			if err = s.again(ctx, l, rec.Key, rec.Handler); err == nil {
				sum.Finished++
			}
			return err
		}
		if !errors.Is(err, letter.ErrNotFound) {
			return err
		}
	}
	s.strand(sum, rec)
	return nil
}

func (s *Settler) sweepOwned(_ context.Context, sum *Summary, rec claim.Stored) error {
	if rec.LeaseOver() {
		s.strand(sum, rec)
	}
	return nil
}

func (s *Settler) sweepUnreadable(_ context.Context, sum *Summary, rec claim.Stored) error {
	sum.Unreadable = append(sum.Unreadable, rec.ID)
	return nil
}

// strand reports a claim whose event should have come again by now.
func (s *Settler) strand(sum *Summary, rec claim.Stored) {
	if rec.Now.Sub(rec.Written) > rec.Lease+s.c.Horizon {
		sum.Stranded = append(sum.Stranded, rec.ID)
	}
}

// sweepLetters drops letters of claims that are done: their owner finished after all,
// or a replay broke off before its last step.
func (s *Settler) sweepLetters(ctx context.Context, sum *Summary) error {
	var errs []error
	page := ""
	for range s.c.Pages {
		letters, next, err := s.c.Letters.List(ctx, page, pageSize)
		if err != nil {
			return errors.Join(append(errs, fmt.Errorf("list letters: %w", err))...)
		}
		for _, l := range letters {
			errs = append(errs, s.sweepLetter(ctx, sum, l))
		}
		if page = next; page == "" {
			return errors.Join(errs...)
		}
	}
	sum.Cut = true
	return errors.Join(errs...)
}

func (s *Settler) sweepLetter(ctx context.Context, sum *Summary, l letter.Letter) error {
	if l.Key == "" || l.Handler == "" || l.Reason == letter.PayloadMismatch {
		return nil
	}
	rec, err := s.c.Claims.Look(ctx, claim.ID(l.Handler, l.Key))
	if errors.Is(err, claim.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at the claim of letter %s: %w", l.ID, err)
	}
	if rec.State != claim.Done || rec.PayloadHash != l.PayloadHash {
		return nil
	}
	if err := s.c.Letters.Delete(ctx, l.ID); err != nil {
		return fmt.Errorf("remove letter %s: %w", l.ID, err)
	}
	sum.Dropped++
	return nil
}
