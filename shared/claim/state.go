package claim

// State is how far a claim got. The zero value is no state: a record that holds
// it, or a word not listed here, is held and reported, never treated as free.
type State string

// The states of a claim. DONE is final.
const (
	Claimed       State = "CLAIMED"       // an owner may act, nothing has happened yet
	Effect        State = "EFFECT"        // the point of no return was recorded
	Retry         State = "RETRY"         // nobody owns it; the next delivery takes it
	Done          State = "DONE"          // acted; a repeat is acknowledged
	Dead          State = "DEAD"          // given up; its dead letter is published
	Indeterminate State = "INDETERMINATE" // may have acted; a person or Verify settles it
)

// States lists every state in the order people look at them: what needs
// somebody first.
var States = []State{Indeterminate, Dead, Retry, Effect, Claimed, Done}

// Known reports whether s is one of the states.
func (s State) Known() bool {
	switch s {
	case Claimed, Effect, Retry, Done, Dead, Indeterminate:
		return true
	}
	return false
}

// Owned reports whether a record in this state has an owner who may still act.
func (s State) Owned() bool { return s == Claimed || s == Effect }

// Settled reports whether a delivery that meets this state has nothing left to do:
// it acted, or its event is kept elsewhere.
func (s State) Settled() bool { return s == Done || s == Dead || s == Indeterminate }
