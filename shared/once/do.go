package once

import (
	"context"
	"errors"
	"fmt"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/letter"
)

// Errors of Do, for calls that left no result.
var (
	// ErrInFlight: another call with this key still runs. Try again later.
	ErrInFlight = errors.New("a call with this key is in flight")
	// ErrMismatch: the key was used with another payload. Trying again can't help.
	ErrMismatch = errors.New("the key was used with another payload")
	// ErrParked: an earlier call may have acted; a person or Verify settles it.
	ErrParked = errors.New("a call with this key may have acted")
	// ErrGivenUp: earlier calls failed for good.
	ErrGivenUp = errors.New("calls with this key were given up")
	// ErrUnproven: the claim store or the dead-letter topic could not be reached, so
	// that nothing ran, or how it ended could not be recorded.
	ErrUnproven = errors.New("claim could not be proven")
)

// Call is one piece of work to guard, for whoever brings no Pub/Sub message: an HTTP
// handler with an Idempotency-Key, a chat service that repeats its requests.
type Call struct {
	Handler string // scopes keys: lowercase, stable for ever
	Key     string // the caller's: the same for a repeat, new for new work
	Policy  claim.Policy
	Payload []byte // what a repeat must bring again; only its hash is kept, unless the call is parked or given up
	Subject string // what Verify needs later
	Summary string // for people: no payload, nothing secret
}

// Reply is what a call came to, now or when it ran.
type Reply struct {
	Result []byte // what fn left
	Repeat bool   // an earlier call ran; this one did not
	Report Report
}

// Do runs fn unless a call with this handler and key did, and then answers with the
// result that it left. It follows the same rules as a delivery: fn gets a context that
// ends before its claim's lease, and outlives the caller; its errors are read by their
// verdict; a call that meets another in flight waits for it within bounds. Under
// AtMostOnceAfterBegin fn calls Begin. A result beyond claim.MaxResult is answered to
// the first call only.
//
// An error of Do is fn's own, or one of those above. A call that fails is not
// repeated by anybody but the caller: retry means that the same call may run again.
func (r *Runner) Do(ctx context.Context, c Call, fn func(ctx context.Context, d *Delivery) ([]byte, error)) (Reply, error) {
	if c.Handler == "" || c.Key == "" || !c.Policy.Known() || fn == nil {
		return Reply{}, errors.New("call once: handler, key, a known policy and a function are needed")
	}
	m, err := envelope.FromPulled(envelope.Pulled{
		ID: claim.ID(c.Handler, c.Key), Data: c.Payload, Subscription: callSource + c.Handler,
		Attributes: map[string]string{letter.AttrKey: c.Key},
	})
	if err != nil {
		return Reply{}, fmt.Errorf("call once: %w", err)
	}
	h := &called{c: c, fn: fn}
	rep := r.deliver(ctx, h, m, true)
	reply := Reply{Result: rep.Result, Repeat: rep.Outcome == Duplicate, Report: rep}
	if rep.Outcome == Done {
		reply.Result = h.result
	}
	return reply, verdict(rep)
}

// callSource marks the letters of calls: see FromCall.
const callSource = "call/"

// FromCall reports whether a letter was left by Do: its event stands on no topic, and
// only its caller can bring it again.
func FromCall(l letter.Letter) bool {
	return len(l.Source) > len(callSource) && l.Source[:len(callSource)] == callSource
}

// verdict is nil if the call acted, now or before.
func verdict(rep Report) error {
	switch rep.Outcome {
	case Done:
		return nil
	case Duplicate:
		switch rep.State {
		case claim.Done:
			return nil
		case claim.Dead:
			return ErrGivenUp
		}
		return ErrParked
	case Parked:
		return fmt.Errorf("%w: %w", ErrParked, rep.Err)
	case PayloadMismatch:
		return ErrMismatch
	case InFlight:
		return ErrInFlight
	case StoreDown:
		return fmt.Errorf("%w: %w", ErrUnproven, rep.Err)
	}
	return rep.Err
}

// called is a Call as a Handler.
type called struct {
	c      Call
	fn     func(context.Context, *Delivery) ([]byte, error)
	result []byte
}

func (h *called) Name() string { return h.c.Handler }

func (h *called) Plan(*envelope.Message) (Plan, error) {
	return Plan{Policy: h.c.Policy, Subject: h.c.Subject, Summary: h.c.Summary}, nil
}

func (h *called) Run(ctx context.Context, d *Delivery) error {
	result, err := h.fn(ctx, d)
	if err != nil {
		return err
	}
	h.result = result
	if len(result) <= claim.MaxResult {
		return d.SetResult(result)
	}
	return nil
}
