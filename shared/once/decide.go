package once

import (
	"errors"

	"onceway.internal/shared/claim"
)

// decision is what an owner does with its claim after its handler returned.
type decision int

const (
	release          decision = iota // back for another attempt
	releaseUnchanged                 // the same, and the world certainly did not change
	finish
	park
	bury
)

// decide is the table of verdicts: see README.md.
func decide(r ran, state claim.State, policy claim.Policy, spent bool) decision {
	if r.err == nil {
		return finish
	}
	_, permanent := errors.AsType[*PermanentError](r.err)
	_, unchanged := errors.AsType[*NoEffectError](r.err)
	unchanged = unchanged || r.refused || state != claim.Effect
	switch {
	case state == claim.Effect && !policy.Repeatable() && unchanged:
		return releaseUnchanged
	case state == claim.Effect && !policy.Repeatable():
		return park
	case permanent || spent:
		return bury
	case unchanged:
		return releaseUnchanged
	}
	return release
}
