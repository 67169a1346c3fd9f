package chat

import (
	"errors"
	"time"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/interaction"
	"onceway.internal/shared/envelope"
)

// kind is what an event asks of us.
type kind int

const (
	nothing kind = iota // known or not, there is nothing to do
	greet
	puzzled // words that are not understood
	command
	confirm
	cancel
)

// intent is an event as it was understood. It depends on the message and the
// configuration alone, so that Plan and Run see the same.
type intent struct {
	kind  kind
	event interaction.Event
	at    time.Time // when it was said; zero when nothing tells

	line    string // the words
	command chatops.Command
	call    chatops.Call
	puzzle  string // what is wrong with the words
	card    card   // of a press
}

func (h *Handler) read(m *envelope.Message) (intent, error) {
	data := m.Data
	if m.OwnEvent {
		data = m.Event.Data()
	}
	e, err := interaction.Decode(data)
	if err != nil {
		return intent{}, err
	}
	in := intent{event: e}
	var ok bool
	if in.at, ok = e.At(); !ok {
		in.at = m.PublishTime
	}
	if e.Dialog || e.User.Bot {
		return in, nil
	}
	switch e.Type {
	case interaction.AddedToSpace:
		in.kind = greet
	case interaction.Message, interaction.AppCommand:
		in.kind, in.line = command, h.line(e)
		h.understand(&in, in.at)
	case interaction.CardClicked:
		h.press(&in)
	}
	return in, nil
}

// line is the words of an event; those that an app command's ID stands for come first.
func (h *Handler) line(e interaction.Event) string {
	if words, ok := h.c.AppCommands[e.CommandID]; ok && e.CommandID != "" {
		return words + " " + e.Argument
	}
	return e.Line()
}

func (h *Handler) understand(in *intent, at time.Time) {
	var err error
	in.command, in.call, err = h.c.Commands.Parse(in.line, at)
	if m, ok := errors.AsType[*chatops.Misunderstood](err); ok {
		in.kind, in.puzzle = puzzled, m.Text
	}
}
