package console

import (
	"context"
	"errors"
	"fmt"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/settle"
)

type resolution struct {
	As  string `json:"as"` // done, retry
	Why string `json:"why,omitempty"`
	// Version of the claim as it was read; absent: whatever stands there.
	Version string `json:"version,omitempty"`
}

// resolve settles a parked claim on the version that its reader saw: an older look
// may have missed what happened since.
func (h *Handler) resolve(ctx context.Context, a act, c resolution) (op string, err error) {
	if c.As != "done" && c.As != "retry" {
		return "", problemOf(400, codeInvalid, "Say done, that it acted, or retry, that it did not.")
	}
	a.name, a.why, a.content = "resolve "+c.As, c.Why, fmt.Sprintf("%q %q", c.Why, c.Version)
	return h.do(ctx, a, func(ctx context.Context, a act) error {
		rec, err := h.Claims.Look(ctx, a.target)
		if err != nil {
			return err
		}
		switch {
		case marked(rec, a):
			return nil
		case c.Version != "" && c.Version != rec.Version:
			return errChanged
		case rec.State != claim.Indeterminate:
			return claim.ErrState
		}
		if c.As == "retry" {
			if err := h.Claims.MayRetry(rec); err != nil {
				return err
			}
		}
		return h.audited(ctx, a, func(ctx context.Context) error { return h.settle(ctx, a, rec, c.As) })
	})
}

func (h *Handler) settle(ctx context.Context, a act, rec claim.Stored, as string) (err error) {
	act, why := h.Settler.SettleDone, "resolved as done"
	if as == "retry" {
		act, why = h.Settler.SettleRetry, "resolved as not done"
	}
	if a.why != "" {
		why = a.why
	}
	_, err = act(ctx, rec, a.by(), why)
	if errors.Is(err, claim.ErrConflict) || errors.Is(err, settle.ErrNoLetter) {
		// Another process may have taken the other click of the same form.
		if met, lerr := h.Claims.Look(ctx, rec.ID); lerr == nil && marked(met, a) {
			return nil
		}
	}
	return err
}

// faster reports whether err may mean that another process did the same a moment ago.
func faster(err error) bool {
	return errors.Is(err, claim.ErrConflict) || errors.Is(err, letter.ErrNotFound) || errors.Is(err, settle.ErrAlreadyDone)
}

// marked reports whether the claim's trace holds this very operation.
func marked(rec claim.Stored, a act) bool {
	for _, s := range rec.Trace {
		if s.By == a.by() {
			return true
		}
	}
	return false
}

type letterChange struct {
	Why string `json:"why,omitempty"`
	// Claim of a letter that brings no key: matched by payload hash.
	Claim string `json:"claim,omitempty"`
	// NewKey runs it as a new event, whatever became of the old.
	NewKey bool `json:"newKey,omitempty"`
}

// changeLetter replays or drops a letter. A letter never changes, so its ID is its version.
func (h *Handler) changeLetter(ctx context.Context, a act, c letterChange) (op string, err error) {
	a.why, a.content = c.Why, fmt.Sprintf("%q %q", c.Why, c.Claim)
	if c.NewKey {
		a.name = "replay as new"
	}
	return h.do(ctx, a, func(ctx context.Context, a act) error {
		if _, err := h.Letters.Get(ctx, a.target); errors.Is(err, letter.ErrNotFound) {
			if h.didBefore(ctx, a) {
				return nil
			}
			return errGone
		} else if err != nil {
			return err
		}
		return h.audited(ctx, a, func(ctx context.Context) error {
			if a.name == "drop" {
				return h.Letters.Delete(ctx, a.target)
			}
			why := c.Why
			if why == "" {
				why = "replayed"
			}
			how := settle.Replay{By: a.by(), Why: why, ClaimID: c.Claim, NewKey: c.NewKey, Operation: a.op()[len("console/"):]}
			err := h.Settler.Replay(ctx, a.target, how)
			if faster(err) && h.didBeside(ctx, a) {
				return nil
			}
			return err
		})
	})
}
