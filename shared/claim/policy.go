package claim

// Policy says what a crash in the middle of a handler means.
type Policy string

// The policies.
const (
	// AtLeastOnce is for work that may naturally be repeated: after a crash it runs again.
	AtLeastOnce Policy = "at-least-once"
	// AtMostOnce is for destructive work: it enters EFFECT with the claim, so a
	// crash at any point leaves INDETERMINATE.
	AtMostOnce Policy = "at-most-once"
	// AtMostOnceAfterBegin is for destructive work that calls Begin just before
	// its effect: a crash before that is simply retried.
	AtMostOnceAfterBegin Policy = "at-most-once-after-begin"
)

// Known reports whether p is one of the policies.
func (p Policy) Known() bool {
	return p == AtLeastOnce || p == AtMostOnce || p == AtMostOnceAfterBegin
}

// Repeatable reports whether the effect may happen again. An unknown policy is
// not repeatable: that is the safe side.
func (p Policy) Repeatable() bool { return p == AtLeastOnce }

// first is the state that a fresh claim enters under p.
func (p Policy) first() State {
	if p == AtMostOnce {
		return Effect
	}
	return Claimed
}
