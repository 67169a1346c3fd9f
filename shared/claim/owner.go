package claim

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Waits between the tries of a write that is insisted on.
const (
	insistFirst = 50 * time.Millisecond
	insistMost  = 2 * time.Second
)

// errAdopted says that the record is ours, but not as the write expected it.
var errAdopted = errors.New("claim changed under its owner")

// write is one owner's compare-and-swap, and what it makes of the answer. h.mu is held.
func (h *Hold) write(ctx context.Context, act Act, next Record) error {
	if !allowed(Transition{h.stored.State, act, next.State}, h.stored.Policy) {
		return fmt.Errorf("%s claim: %w: it is %s", act, ErrState, h.stored.State)
	}
	sent := h.m.c.Clock.Now()
	got, err := h.m.swap(ctx, h.stored, act, next)
	switch {
	case err == nil:
		h.stored, h.sent, h.issued = got, sent, nil
		return nil
	case errors.Is(err, ErrConflict):
		return h.adopt(got)
	}
	if h.issued == nil {
		h.issued = make(map[string]bool)
	}
	h.issued[next.WriteID] = true
	return fmt.Errorf("%s claim: %w", act, err)
}

// adopt goes on from a record that stands where ours was expected, if it is one of
// our own late writes, or ours as somebody parked it.
func (h *Hold) adopt(got Stored) error {
	parked := got.State == Indeterminate && got.Owner == h.stored.Owner && got.Epoch == h.stored.Epoch
	if !parked && !h.issued[got.WriteID] {
		return fmt.Errorf("%w: it is %s in epoch %d", ErrLost, got.State, got.Epoch)
	}
	h.stored = got
	return errAdopted
}

// attempt writes once, or once more where the stored record turned out to be
// another one of ours.
func (h *Hold) attempt(ctx context.Context, make func() (Act, Record)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		act, next := make()
		if err := h.write(ctx, act, next); !errors.Is(err, errAdopted) {
			return err
		}
	}
}

// insist tries a write until its fate is known or the budget is spent, on a context
// that outlives the caller's. A repeat after an open answer carries the same record:
// whichever of them arrives, it is ours. The budget is of the repeats: nearly every
// write needs one try alone, which the store's time-out bounds.
func (h *Hold) insist(ctx context.Context, make func() (Act, Record)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	ctx = context.WithoutCancel(ctx)
	act, next := make()
	for wait := insistFirst; ; {
		err := h.write(ctx, act, next)
		switch {
		case errors.Is(err, errAdopted):
			act, next = make()
			continue
		case !errors.Is(err, ErrUnresolved):
			return err
		}
		if wait == insistFirst {
			budget, cancel := h.m.c.Clock.WithTimeout(ctx, h.m.c.FinishBudget)
			defer cancel()
			ctx = budget
		}
		if h.m.c.Clock.Sleep(ctx, wait) != nil {
			return err
		}
		wait = min(2*wait, insistMost)
	}
}
