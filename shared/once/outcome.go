package once

import "net/http"

// Outcome is what became of one delivery. What it means to the sender is said by
// the table below and nowhere else.
type Outcome string

// The outcomes.
const (
	Done            Outcome = "done"             // acted now
	Duplicate       Outcome = "duplicate"        // acted, given up or parked before
	DeadLettered    Outcome = "dead-lettered"    // given up now, its letter is published
	Parked          Outcome = "parked"           // may have acted, its letter is published
	PayloadMismatch Outcome = "payload-mismatch" // known key, other data, its letter is published
	NotMine         Outcome = "not-mine"         // republished for another handler on this topic

	Failed    Outcome = "retry"      // failed, may work next time
	InFlight  Outcome = "in-flight"  // another delivery still holds the claim
	StoreDown Outcome = "store-down" // nothing could be proven, or not recorded

	Malformed Outcome = "malformed" // no envelope that we know
	TooLarge  Outcome = "too-large" // over the body limit
)

// answers is the one mapping of outcomes: the HTTP status of a push, and whether a
// pulled message is acknowledged.
var answers = map[Outcome]struct {
	status int
	ack    bool
}{
	Done:            {http.StatusNoContent, true},
	Duplicate:       {http.StatusNoContent, true},
	DeadLettered:    {http.StatusNoContent, true},
	Parked:          {http.StatusNoContent, true},
	PayloadMismatch: {http.StatusNoContent, true},
	NotMine:         {http.StatusNoContent, true},
	Failed:          {http.StatusServiceUnavailable, false},
	InFlight:        {http.StatusServiceUnavailable, false},
	StoreDown:       {http.StatusServiceUnavailable, false},
	Malformed:       {http.StatusBadRequest, false},
	TooLarge:        {http.StatusRequestEntityTooLarge, false},
}

// Status is the HTTP status that answers a push. An outcome that is not in the
// table is never acknowledged.
func (o Outcome) Status() int {
	if a, ok := answers[o]; ok {
		return a.status
	}
	return http.StatusServiceUnavailable
}

// Ack reports whether a pulled message is acknowledged.
func (o Outcome) Ack() bool { return answers[o].ack }
