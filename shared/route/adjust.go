package route

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onceway.internal/shared/groups"
)

// adjustTries bounds how often a change is tried again because others were faster.
const adjustTries = 5

// Adjust changes the live settings: what change makes of those stored, or of base
// where none are, is validated, audited and stored; routers follow within a
// second. c names the groups that policy static may take. Errors: a setting's
// fault, ErrConflict when others keep changing them, what the audit or store says.
func Adjust(ctx context.Context, s Store, c groups.Config, base Settings, audit groups.Auditor, by string, change func(*Settings)) (Settings, error) {
	if by == "" {
		return Settings{}, errors.New("change routing settings: who asks is required")
	}
	audited := false
	for range adjustTries {
		snap, err := s.Read(ctx, time.Now()) // the ledger is not wanted
		if err != nil {
			return Settings{}, fmt.Errorf("change routing settings: %w", err)
		}
		next := base
		if snap.Settings != nil {
			next = *snap.Settings
		}
		change(&next)
		next.By = by
		if err := next.Validate(); err != nil {
			return Settings{}, fmt.Errorf("change routing settings: %w", err)
		}
		if _, known := c.Group(next.Static); next.Static != "" && !known {
			return Settings{}, fmt.Errorf("change routing settings: static: %w: %q", groups.ErrUnknownGroup, next.Static)
		}
		if !audited {
			detail := fmt.Sprintf("policy %s, mode %s, static %q, drainTrust %g, typicalSize %d", next.Policy, next.Mode, next.Static, next.DrainTrust, next.TypicalSize)
			if err := audit.Audit(ctx, by, "route", "settings", detail); err != nil {
				return Settings{}, fmt.Errorf("change routing settings: not done, as it can't be audited: %w", err)
			}
			audited = true
		}
		err = s.PutSettings(ctx, next)
		if err == nil {
			return next, nil
		}
		if !errors.Is(err, ErrConflict) {
			return Settings{}, fmt.Errorf("change routing settings: %w", err)
		}
	}
	return Settings{}, fmt.Errorf("change routing settings: %w", ErrConflict)
}
