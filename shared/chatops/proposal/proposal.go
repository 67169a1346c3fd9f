// Package proposal settles which press of a button counts. A card with Confirm and
// Cancel is a proposal; the first press takes it for good, and every other one is
// told who was first. A proposal is a claim of its own, under the handler "chat-proposal".
//
// Its record is created when it is taken, DONE at once: a proposal that nobody
// presses needs no record, as its card carries when it expires, and one that is
// taken has nothing left to run, as the press is an event with a claim itself.
package proposal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"onceway.internal/shared/claim"
)

// Handler scopes the keys of proposals.
const Handler = "chat-proposal"

// Taken says which press took a proposal.
type Taken struct {
	// Operation is the operation ID of the press: it is the caller's own, also
	// when it asks again after a crash, or somebody else was first.
	Operation string `json:"operation"`
	Decision  string `json:"decision"` // "confirm" or "cancel"
}

// Book takes proposals. Safe for concurrent use.
type Book struct {
	store claim.Store
	now   func() time.Time
	ttl   time.Duration
}

// New returns a Book over the claims' store. A record stays for ttl: longer than
// any press may be redelivered.
func New(store claim.Store, now func() time.Time, ttl time.Duration) (*Book, error) {
	if store == nil || now == nil || ttl <= 0 {
		return nil, errors.New("proposals: store, clock or time to live are missing")
	}
	return &Book{store: store, now: now, ttl: ttl}, nil
}

// Take takes a proposal for a press unless it is taken, and answers with who has
// it. It may be repeated with the same press. On an error nothing is known: ask again.
func (b *Book) Take(ctx context.Context, id string, t Taken) (Taken, error) {
	result, err := json.Marshal(t)
	if err != nil {
		return Taken{}, fmt.Errorf("take proposal: %w", err)
	}
	now := b.now().UTC()
	r := claim.Record{
		ID: claim.ID(Handler, id), Key: id, Handler: Handler, Subject: t.Decision,
		Policy: claim.AtMostOnce, State: claim.Done, Epoch: 1, WriteID: claim.NewToken(), Attempts: 1,
		// The hash is over the proposal alone: every press of it is of one event.
		PayloadHash: claim.PayloadHash([]byte(id)), OperationID: claim.OperationID(Handler, id),
		Result: result, CreatedAt: now, ExpireAt: now.Add(b.ttl), Summary: "proposal: " + t.Decision,
		Trace: []claim.Step{{At: now, To: claim.Done, By: "owner", Epoch: 1}},
	}
	stored, err := b.store.Create(ctx, r)
	if errors.Is(err, claim.ErrExists) {
		// It may be our own, from before a crash or a lost reply: the operation tells.
		stored, err = b.store.Get(ctx, r.ID)
	}
	if err != nil {
		return Taken{}, fmt.Errorf("take proposal: %w", err)
	}
	var by Taken
	if err := json.Unmarshal(stored.Result, &by); err != nil {
		return Taken{}, fmt.Errorf("take proposal: read who has it: %w", err)
	}
	return by, nil
}
