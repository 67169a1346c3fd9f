package console

import (
	"context"
	"fmt"
	"time"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
)

// Letters is one page of dead letters, newest first.
type Letters struct {
	Letters []Letter `json:"letters"`
	Next    string   `json:"next,omitempty"`
}

// Letter is a dead letter. Body is there only where it was asked for.
type Letter struct {
	ID          string            `json:"id"`
	Handler     string            `json:"handler,omitempty"`
	Key         string            `json:"key,omitempty"`
	Claim       string            `json:"claim,omitempty"` // ID, where handler and key are known
	Reason      string            `json:"reason"`
	Attempts    int               `json:"attempts"`
	Epoch       int64             `json:"epoch"`
	Error       string            `json:"error,omitempty"`
	Source      string            `json:"source,omitempty"`
	Topic       string            `json:"topic,omitempty"`
	MessageID   string            `json:"message"`
	Attributes  map[string]string `json:"attributes,omitempty"`
	OrderingKey string            `json:"orderingKey,omitempty"`
	PayloadHash string            `json:"payload"`
	PublishedAt time.Time         `json:"publishedAt"`
	StoredAt    time.Time         `json:"storedAt"`

	Bytes *int   `json:"bytes,omitempty"`
	Body  []byte `json:"body,omitempty"` // base64
}

func (h *Handler) readLetters(ctx context.Context, page string, limit int) (Letters, error) {
	all, next, err := h.Letters.List(ctx, page, limit)
	if err != nil {
		return Letters{}, fmt.Errorf("list letters: %w", err)
	}
	out := Letters{Letters: make([]Letter, len(all)), Next: next}
	for i, l := range all {
		out.Letters[i] = showLetter(l)
	}
	return out, nil
}

// readLetter reads one; its body is shown to whoever may replay it.
func (h *Handler) readLetter(ctx context.Context, id string, who Person, body bool) (Letter, error) {
	l, err := h.Letters.Get(ctx, id)
	if err != nil {
		return Letter{}, err
	}
	out := showLetter(l)
	size := len(l.Data)
	out.Bytes = &size
	switch {
	case !body:
	case !h.may(who, "replay"):
		return Letter{}, problemOf(403, codeRole, "You are "+who.Role+" here: an event's body is shown to operators alone.")
	default:
		out.Body = l.Data
	}
	return out, nil
}

func showLetter(l letter.Letter) Letter {
	out := Letter{
		ID: l.ID, Handler: l.Handler, Key: l.Key, Reason: l.Reason, Attempts: l.Attempts, Epoch: l.Epoch, Error: l.Error, Source: l.Source,
		Topic: l.Topic, MessageID: l.MessageID, Attributes: l.Attributes, OrderingKey: l.OrderingKey, PayloadHash: l.PayloadHash,
		PublishedAt: l.PublishedAt, StoredAt: l.StoredAt,
	}
	if l.Handler != "" && l.Key != "" {
		out.Claim = claim.ID(l.Handler, l.Key)
	}
	return out
}

// Audit is one page of the audit log, newest first.
type Audit struct {
	Entries []Entry `json:"entries"`
	Next    string  `json:"next,omitempty"`
}

// Entry is who did what.
type Entry struct {
	At      time.Time `json:"at"`
	Actor   string    `json:"actor"`
	Action  string    `json:"action"`
	Target  string    `json:"target"`
	Reason  string    `json:"reason,omitempty"`
	Before  string    `json:"before,omitempty"`
	After   string    `json:"after,omitempty"`
	Via     string    `json:"via"`
	Outcome string    `json:"outcome"`
	ID      string    `json:"id"`
}

func (h *Handler) readAudit(ctx context.Context, page string, limit int) (Audit, error) {
	all, next, err := h.Audit.List(ctx, page, audit.Limit(limit))
	if err != nil {
		return Audit{}, fmt.Errorf("read audit log: %w", err)
	}
	out := Audit{Entries: make([]Entry, len(all)), Next: next}
	for i, e := range all {
		out.Entries[i] = Entry{At: e.At, Actor: e.Actor, Action: e.Action, Target: e.Target, Reason: e.Reason, Before: e.Before, After: e.After, Via: string(e.Via), Outcome: string(e.Outcome), ID: e.ID}
	}
	return out, nil
}
