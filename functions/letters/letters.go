// Package letters is the function Letters: it stores every message of the dead-letter
// topics, ours and those that Pub/Sub's own policy forwards, before acknowledging it.
//
// It runs under no claim: storing a letter twice stores one letter.
package letters

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"onceway.internal/shared/envelope"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
)

// Name labels this function's log lines.
const Name = "letters"

// Receiver implements once.Receiver.
type Receiver struct {
	store   letter.Store
	log     *slog.Logger
	timeout time.Duration
	slots   chan struct{}
}

// New answers with a receiver that gives each letter at most timeout to be stored and
// stores at most slots at once, since letters may be large.
func New(store letter.Store, log *slog.Logger, timeout time.Duration, slots int) (*Receiver, error) {
	if store == nil || log == nil || timeout <= 0 || slots < 1 {
		return nil, errors.New("new letters: needs a store, a log, a positive time-out and at least one slot")
	}
	return &Receiver{store: store, log: log, timeout: timeout, slots: make(chan struct{}, slots)}, nil
}

// Name implements once.Receiver.
func (r *Receiver) Name() string { return Name }

// Receive stores the letter in m. Any failure leaves it on the topic.
func (r *Receiver) Receive(ctx context.Context, m *envelope.Message) once.Report {
	start := time.Now()
	l := letter.FromMessage(m)
	rep := once.Report{Handler: Name, Outcome: once.Done, ClaimID: l.ID, Epoch: l.Epoch, Attempt: l.Attempts}
	if err := r.put(ctx, l); err != nil {
		rep.Outcome, rep.Err = once.StoreDown, err
	}
	rep.Total = time.Since(start)
	once.Log(ctx, r.log, m, rep)
	return rep
}

func (r *Receiver) put(ctx context.Context, l letter.Letter) error {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return fmt.Errorf("wait for a slot: %w", ctx.Err())
	}
	if err := r.store.Put(ctx, l); err != nil {
		return fmt.Errorf("store letter: %w", err)
	}
	return nil
}
