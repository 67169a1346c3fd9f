package chat

import (
	"context"
	"strings"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/once"
)

// Plan implements once.Handler.
func (h *Handler) Plan(m *envelope.Message) (once.Plan, error) {
	in, err := h.read(m)
	if err != nil {
		return once.Plan{}, err
	}
	p := once.Plan{Key: in.event.Key(), Policy: claim.AtLeastOnce, Summary: "chat " + typeOf(in.event)}
	switch in.kind {
	case command:
		if h.asksFirst(in) {
			p.Summary = "propose " + summary(in)
			break
		}
		fallthrough
	case confirm:
		p.Policy = in.command.Effect.Policy()
		p.Subject = in.command.Name + subjectMark + in.call.Subject
		p.Summary = summary(in)
	case cancel:
		p.Summary = "cancel " + summary(in)
	}
	return p, nil
}

// asksFirst reports whether the command posts a card instead of acting.
func (h *Handler) asksFirst(in intent) bool {
	return in.command.Effect != chatops.Reads && h.c.Policy.Confirms(in.command.Name)
}

func summary(in intent) string { return strings.TrimSpace(in.command.Name + " " + in.call.Target) }

// subjectMark separates a command's name from what its Verify needs.
const subjectMark = ": "

// Verify implements once.Verifier by asking the command's own tool.
func (h *Handler) Verify(ctx context.Context, subject, operationID string) (once.Answer, error) {
	name, rest, found := strings.Cut(subject, subjectMark)
	if !found {
		return once.Unknown, nil
	}
	c, ok := h.c.Commands.Find(name)
	if !ok || c.Verify == nil {
		return once.Unknown, nil
	}
	return c.Verify(ctx, rest, operationID)
}
