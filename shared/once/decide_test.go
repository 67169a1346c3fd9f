package once

import (
	"errors"
	"fmt"
	"testing"

	"onceway.internal/shared/claim"
)

// TestVerdicts spells the table out for every verdict, state, kind of policy and
// attempt, so that no change of decide goes unseen.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	plain := errors.New("broken")
	verdicts := map[string]ran{
		"nil":       {},
		"plain":     {err: plain},
		"retry":     {err: Retry(plain)},
		"permanent": {err: fmt.Errorf("wrapped: %w", Permanent(plain, "gone"))},
		"no-effect": {err: fmt.Errorf("wrapped: %w", NoEffect(plain))},
		"refused":   {err: ErrTooLate, refused: true},
	}
	type row struct{ first, last decision } // with attempts left, and with none
	want := map[string]map[string]row{
		"claimed": {
			"nil": {finish, finish}, "plain": {releaseUnchanged, bury}, "retry": {releaseUnchanged, bury},
			"permanent": {bury, bury}, "no-effect": {releaseUnchanged, bury}, "refused": {releaseUnchanged, bury},
		},
		"repeatable effect": {
			"nil": {finish, finish}, "plain": {release, bury}, "retry": {release, bury},
			"permanent": {bury, bury}, "no-effect": {releaseUnchanged, bury}, "refused": {releaseUnchanged, bury},
		},
		"destructive effect": {
			"nil": {finish, finish}, "plain": {park, park}, "retry": {park, park},
			"permanent": {park, park}, "no-effect": {releaseUnchanged, releaseUnchanged}, "refused": {releaseUnchanged, releaseUnchanged},
		},
	}
	states := map[string][]struct {
		state  claim.State
		policy claim.Policy
	}{
		"claimed": {
			{claim.Claimed, claim.AtLeastOnce}, {claim.Claimed, claim.AtMostOnce}, {claim.Claimed, claim.AtMostOnceAfterBegin},
		},
		"repeatable effect": {{claim.Effect, claim.AtLeastOnce}},
		"destructive effect": {
			{claim.Effect, claim.AtMostOnce}, {claim.Effect, claim.AtMostOnceAfterBegin}, {claim.Effect, "unknown"},
		},
	}
	for kind, pairs := range states {
		for _, p := range pairs {
			for name, verdict := range verdicts {
				for _, spent := range []bool{false, true} {
					expect := want[kind][name].first
					if spent {
						expect = want[kind][name].last
					}
					if got := decide(verdict, p.state, p.policy, spent); got != expect {
						t.Errorf("%s under %s, %s, spent %v: decision %d, want %d", p.state, p.policy, name, spent, got, expect)
					}
				}
			}
		}
	}
}
