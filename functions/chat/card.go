package chat

import (
	"context"
	"fmt"
	"html"
	"log/slog"
	"time"

	chatapi "google.golang.org/api/chat/v1"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/proposal"
	"onceway.internal/shared/once"
)

// A card's buttons carry the whole proposal, so that nothing is stored until one
// is pressed. Only this app can make its cards, and who presses is asked for
// their role again.
const (
	buttonFunction = "onceway"

	paramDecision = "decision"
	paramProposal = "proposal"
	paramLine     = "line"
	paramSaid     = "said"
	paramExpires  = "expires"
)

// card is what a pressed button carries.
type card struct {
	proposal string
	expires  time.Time
}

// press reads a pressed button. One that is not ours means nothing.
func (h *Handler) press(in *intent) {
	p := in.event.Parameters
	expires, err := time.Parse(time.RFC3339, p[paramExpires])
	if err != nil || p[paramProposal] == "" {
		return
	}
	said, err := time.Parse(time.RFC3339, p[paramSaid])
	if err != nil {
		said = in.at
	}
	in.card = card{proposal: p[paramProposal], expires: expires}
	in.line = p[paramLine]
	switch p[paramDecision] {
	case "confirm":
		in.kind = confirm
	case "cancel":
		in.kind = cancel
	default:
		return
	}
	h.understand(in, said)
}

// propose posts the card. Its expiry counts from when the command was said, so
// that a repeat proposes the same.
func (t *turn) propose(ctx context.Context) error {
	expires := t.in.at.Add(t.h.c.Policy.ConfirmWithin).UTC().Format(time.RFC3339)
	params := func(decision string) []*chatapi.GoogleAppsCardV1ActionParameter {
		return []*chatapi.GoogleAppsCardV1ActionParameter{
			{Key: paramDecision, Value: decision}, {Key: paramProposal, Value: t.d.OperationID},
			{Key: paramLine, Value: t.in.line}, {Key: paramSaid, Value: t.in.at.UTC().Format(time.RFC3339)},
			{Key: paramExpires, Value: expires},
		}
	}
	button := func(text, decision string) *chatapi.GoogleAppsCardV1Button {
		return &chatapi.GoogleAppsCardV1Button{Text: text, OnClick: &chatapi.GoogleAppsCardV1OnClick{
			Action: &chatapi.GoogleAppsCardV1Action{Function: buttonFunction, Parameters: params(decision)},
		}}
	}
	made := &chatapi.CardWithId{CardId: "proposal", Card: &chatapi.GoogleAppsCardV1Card{
		Header: &chatapi.GoogleAppsCardV1CardHeader{Title: "Really?", Subtitle: "Until " + expires},
		Sections: []*chatapi.GoogleAppsCardV1Section{{Widgets: []*chatapi.GoogleAppsCardV1Widget{
			{TextParagraph: &chatapi.GoogleAppsCardV1TextParagraph{Text: html.EscapeString(t.in.line)}},
			{ButtonList: &chatapi.GoogleAppsCardV1ButtonList{Buttons: []*chatapi.GoogleAppsCardV1Button{
				button("Confirm", "confirm"), button("Cancel", "cancel"),
			}}},
		}}},
	}}
	if err := t.answer.post(ctx, "`"+summary(t.in)+"` asks before it acts.", []*chatapi.CardWithId{made}); err != nil {
		return t.unsaid(ctx, err)
	}
	return nil
}

// decide does what a pressed button decides, if it was in time and the first.
func (t *turn) decide(ctx context.Context) error {
	if may, err := t.may(ctx); !may {
		return err
	}
	if t.in.at.After(t.in.card.expires) {
		t.close(ctx, "expired")
		return t.say(ctx, "This proposal has expired. Ask again if it is still wanted.")
	}
	decision := map[kind]string{confirm: "confirm", cancel: "cancel"}[t.in.kind]
	by, err := t.h.c.Proposals.Take(ctx, t.in.card.proposal, proposal.Taken{Operation: t.d.OperationID, Decision: decision})
	switch {
	case err != nil:
		return once.Retry(err)
	case by.Operation != t.d.OperationID:
		return t.say(ctx, fmt.Sprintf("Somebody was faster: the answer to this was %s already.", chatops.Quote(by.Decision)))
	case t.in.kind == cancel:
		t.close(ctx, "cancelled")
		return t.say(ctx, "Cancelled: `"+summary(t.in)+"`.")
	}
	t.close(ctx, "confirmed")
	return t.do(ctx)
}

// close takes the buttons off the card. A card that keeps them does no harm:
// whoever presses is told that it is decided.
func (t *turn) close(ctx context.Context, how string) {
	if err := t.h.c.Replies.Edit(ctx, t.in.event.MessageName, "`"+summary(t.in)+"`: "+how+".", nil); err != nil {
		t.log.WarnContext(ctx, "card can't be closed", slog.Any("error", err))
	}
}
