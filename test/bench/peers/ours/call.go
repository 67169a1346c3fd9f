package main

import (
	"context"
	"errors"
	"fmt"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
	"onceway.internal/test/bench/peers/load"
)

// call brings an event by Do: a repeat is answered as the first call was, read
// from the store each time.
func call(r *once.Runner, effect *load.Effect) func(context.Context, load.Event) ([]byte, error) {
	return func(ctx context.Context, e load.Event) ([]byte, error) {
		reply, err := r.Do(ctx, once.Call{Handler: "bench", Key: e.Key, Policy: claim.AtLeastOnce, Payload: e.Data},
			func(context.Context, *once.Delivery) ([]byte, error) { return effect.Run(e.Key), nil })
		if errors.Is(err, once.ErrInFlight) {
			return nil, load.ErrInFlight
		}
		return reply.Result, err
	}
}

// deliver brings an event as Pub/Sub does: a repeat is acknowledged, and answered
// with nothing.
func deliver(r *once.Runner, effect *load.Effect) func(context.Context, load.Event) ([]byte, error) {
	h := guarded{effect}
	return func(ctx context.Context, e load.Event) ([]byte, error) {
		m, err := envelope.FromPulled(envelope.Pulled{
			ID: e.Key, Data: e.Data, Attributes: map[string]string{letter.AttrKey: e.Key}, Subscription: "projects/demo-project/subscriptions/bench",
		})
		if err != nil {
			return nil, err
		}
		switch rep := r.Deliver(ctx, h, m); rep.Outcome {
		case once.Done, once.Duplicate:
			return nil, nil
		case once.InFlight:
			return nil, load.ErrInFlight
		default:
			return nil, fmt.Errorf("delivery came to %s: %w", rep.Outcome, rep.Err)
		}
	}
}

type guarded struct{ effect *load.Effect }

func (guarded) Name() string { return "bench" }

func (guarded) Plan(*envelope.Message) (once.Plan, error) {
	return once.Plan{Policy: claim.AtLeastOnce}, nil
}

func (g guarded) Run(_ context.Context, d *once.Delivery) error {
	g.effect.Run(d.Key)
	return nil
}
