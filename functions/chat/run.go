package chat

import (
	"context"
	"fmt"
	"log/slog"

	"onceway.internal/shared/chatops/interaction"
	"onceway.internal/shared/once"
	"onceway.internal/shared/pattern"
)

// Run implements once.Handler.
func (h *Handler) Run(ctx context.Context, d *once.Delivery) error {
	in, err := h.read(d.Message)
	if err != nil {
		return once.Permanent(err, "poison")
	}
	log := h.c.Log.With(
		slog.String("type", typeOf(in.event)), slog.String("space", resource(in.event.Space.Name)),
		slog.String("thread", resource(in.event.Thread)), slog.String("message", resource(in.event.MessageName)),
	)
	log.InfoContext(ctx, "chat event", slog.String("shape", string(in.event.Shape)), slog.String("command", in.command.Name))
	t := &turn{h: h, in: in, d: d, log: log, actor: actor(in.event)}
	t.answer = newAnswer(h.c, in.event, d.OperationID, log)
	switch in.kind {
	case greet:
		return t.say(ctx, "Hello! I run operations for this space, each of them once. Say `help` for what there is.")
	case puzzled:
		return t.say(ctx, in.puzzle)
	case command:
		return t.ask(ctx)
	case confirm, cancel:
		return t.decide(ctx)
	}
	return nil
}

// turn is one run for one event.
type turn struct {
	h      *Handler
	in     intent
	d      *once.Delivery
	log    *slog.Logger
	actor  string
	answer *answer
}

// say answers where nothing ran: an answer that may be posted later is worth
// another try.
func (t *turn) say(ctx context.Context, text string) error {
	if err := t.answer.post(ctx, text, nil); err != nil {
		return t.unsaid(ctx, err)
	}
	return nil
}

func (t *turn) unsaid(ctx context.Context, err error) error {
	if temporary(err) {
		return once.Retry(fmt.Errorf("answer: %w", err))
	}
	t.log.WarnContext(ctx, "chat answer can't be posted", slog.Any("error", err))
	return nil
}

// actor names who asked, for the audit log and for tools.
func actor(e interaction.Event) string {
	switch {
	case e.User.Email != "":
		return e.User.Email
	case e.User.Name != "":
		return e.User.Name
	}
	return "unknown"
}

var (
	eventType    = pattern.Bounded(1, 40, `^[A-Z_]*$`)
	resourceName = pattern.Bounded(8, 207, `^spaces/[A-Za-z0-9._/-]*$`)
)

// typeOf and resource let nothing into a log that only claims to be a name.
func typeOf(e interaction.Event) string {
	if !eventType.MatchString(string(e.Type)) {
		return "UNKNOWN"
	}
	return string(e.Type)
}

func resource(name string) string {
	if name != "" && !resourceName.MatchString(name) {
		return "?"
	}
	return name
}
