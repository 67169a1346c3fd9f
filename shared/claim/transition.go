package claim

// Act is what somebody does to a claim.
type Act string

// The acts. Which of them leads where is in the table below and nowhere else.
const (
	ActCreate   Act = "create"    // a delivery finds no record
	ActTakeover Act = "takeover"  // a delivery finds nobody protected
	ActBegin    Act = "begin"     // the owner is about to act
	ActExtend   Act = "extend"    // the owner's heartbeat
	ActFinish   Act = "finish"    // the owner acted
	ActRelease  Act = "release"   // the owner failed
	ActNoEffect Act = "no-effect" // the owner failed and certainly changed nothing
	ActPark     Act = "park"      // the owner failed, or its lease is over: it may have acted
	ActBury     Act = "bury"      // the owner published the dead letter
	ActSettle   Act = "settle"    // Verify or a person knows that it acted
	ActRetry    Act = "retry"     // Verify or a person knows that it did not act
	ActReplay   Act = "replay"    // a person runs a dead one again
)

// Transition is one arrow of the state machine.
type Transition struct {
	From State // "" where there was no record
	Act  Act
	To   State
}

// class restricts an arrow to policies of one kind.
type class int

const (
	anyPolicy class = iota
	repeatable
	destructive
)

func (c class) admits(p Policy) bool {
	return c == anyPolicy || (c == repeatable) == p.Repeatable()
}

type arrow struct {
	Transition
	policies class
}

// arrows is the whole state machine. Where an act may lead to two states (a claim
// under at-most-once enters EFFECT at once, one taken only to be buried does not)
// there are two arrows.
var arrows = []arrow{
	{Transition{"", ActCreate, Claimed}, anyPolicy},
	{Transition{"", ActCreate, Effect}, destructive},

	{Transition{Retry, ActTakeover, Claimed}, anyPolicy},
	{Transition{Retry, ActTakeover, Effect}, anyPolicy},
	{Transition{Claimed, ActTakeover, Claimed}, anyPolicy},
	{Transition{Claimed, ActTakeover, Effect}, anyPolicy},
	{Transition{Effect, ActTakeover, Claimed}, repeatable},

	{Transition{Claimed, ActBegin, Effect}, anyPolicy},
	{Transition{Claimed, ActExtend, Claimed}, anyPolicy},
	{Transition{Effect, ActExtend, Effect}, anyPolicy},

	{Transition{Claimed, ActFinish, Done}, anyPolicy},
	{Transition{Effect, ActFinish, Done}, anyPolicy},
	{Transition{Indeterminate, ActFinish, Done}, destructive},

	{Transition{Claimed, ActRelease, Retry}, anyPolicy},
	{Transition{Claimed, ActNoEffect, Retry}, anyPolicy},
	{Transition{Effect, ActRelease, Retry}, repeatable},
	{Transition{Effect, ActNoEffect, Retry}, anyPolicy},

	{Transition{Effect, ActPark, Indeterminate}, destructive},

	{Transition{Claimed, ActBury, Dead}, anyPolicy},
	{Transition{Effect, ActBury, Dead}, repeatable},

	{Transition{Indeterminate, ActSettle, Done}, anyPolicy},
	{Transition{Indeterminate, ActRetry, Retry}, anyPolicy},
	{Transition{Dead, ActReplay, Retry}, anyPolicy},
}

// Transitions lists every arrow there is.
func Transitions() []Transition {
	all := make([]Transition, len(arrows))
	for i, a := range arrows {
		all[i] = a.Transition
	}
	return all
}

// allowed reports whether t is an arrow under policy p, that of the record as it
// stands: what an owner began under one policy is never judged by a laxer one.
func allowed(t Transition, p Policy) bool {
	for _, a := range arrows {
		if a.Transition == t && a.policies.admits(p) {
			return true
		}
	}
	return false
}
