package once

import (
	"context"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
)

// Handler is work that acts once for each key. Both methods are called from
// many goroutines at once.
type Handler interface {
	// Name scopes keys and labels logs: lowercase, stable for ever.
	Name() string

	// Plan reads the message and says what it is. It is pure: no I/O, no effect,
	// and it may run any number of times. An error means that the data can't be
	// read: the event is dead-lettered as poison.
	Plan(m *envelope.Message) (Plan, error)

	// Run does the work. ctx ends before the claim's lease does; Run must return
	// soon after. nil means done; errors are read by their verdict: see Retry,
	// Permanent and NoEffect.
	Run(ctx context.Context, d *Delivery) error
}

// Verifier is a Handler that can find out later whether an operation took effect.
type Verifier interface {
	Handler
	// Verify answers for a parked claim. It must be truthful: NotDone is believed
	// once the lease is long over, and lets the event run again. An error counts as Unknown.
	Verify(ctx context.Context, subject, operationID string) (Answer, error)
}

// Answer is what Verify found.
type Answer int

// The answers.
const (
	Unknown Answer = iota // can't tell: a person has to settle it
	EffectDone
	EffectNotDone
)

// Plan is what a message means to its handler.
type Plan struct {
	// Key identifies the event by the handler's own rule. It is used when the
	// message brings no onceway-key attribute and no CloudEvent of its own; empty
	// means the Pub/Sub message ID.
	Key string
	// Subject is what Verify needs later. At most claim.MaxSubject bytes.
	Subject string
	Policy  claim.Policy
	// Summary tells people what the event is: no payload, nothing secret or personal.
	Summary string
}

// Delivery is what Run gets.
type Delivery struct {
	// Message is the handler's own copy, the one that Plan read.
	Message *envelope.Message
	Plan    Plan
	Key     string // the frozen key
	// OperationID is for everything downstream that can deduplicate: the same whenever this event runs.
	OperationID string
	// Epoch is the fencing token: it grows with every takeover.
	Epoch   int64
	Attempt int

	begin  func(context.Context) (context.Context, error)
	result *[]byte
}

// Begin records the point of no return under policy AtMostOnceAfterBegin, and
// answers with the context for the effect, which ends before the lease does. On
// an error the effect must not happen: return the error as it is. A second call
// answers as the first did. Under AtMostOnce it changes nothing.
func (d *Delivery) Begin(ctx context.Context) (context.Context, error) { return d.begin(ctx) }

// SetResult leaves an answer for repeats of this event, at most claim.MaxResult
// bytes; it is stored with DONE. Longer results are refused with an error.
func (d *Delivery) SetResult(b []byte) error {
	if len(b) > claim.MaxResult {
		return ErrResultTooLarge
	}
	*d.result = append([]byte(nil), b...)
	return nil
}
