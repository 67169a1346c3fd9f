package interaction

import (
	"time"
)

// Type is what somebody did. Other values than these are kept as they came.
type Type string

// The known types, in the words of the Chat API; add-on payloads are given the
// one that means the same.
const (
	Message       Type = "MESSAGE"
	AddedToSpace  Type = "ADDED_TO_SPACE"
	RemovedFrom   Type = "REMOVED_FROM_SPACE"
	CardClicked   Type = "CARD_CLICKED"
	WidgetUpdated Type = "WIDGET_UPDATED"
	AppCommand    Type = "APP_COMMAND"
)

// Known reports whether the type is one that this package reads.
func (t Type) Known() bool {
	switch t {
	case Message, AddedToSpace, RemovedFrom, CardClicked, WidgetUpdated, AppCommand:
		return true
	}
	return false
}

// Shape is which of the two forms an event came in.
type Shape string

// The shapes.
const (
	ChatAPI Shape = "chat-api"
	AddOn   Shape = "add-on"
)

// Event is one interaction, whichever shape it came in. Of a type that is not
// known only Shape, ID and Type are set.
type Event struct {
	Shape Shape
	Type  Type
	// ID is the event's own, which documented events don't have; mostly empty.
	ID string
	// Time is when it happened as Chat wrote it; see At.
	Time string

	User  User
	Space Space
	// Thread is "spaces/S/threads/T"; empty in some direct messages.
	Thread string

	// MessageName is "spaces/S/messages/M": what was said, or the message whose card was clicked.
	MessageName string
	// MessageTime is when that message was created, as Chat wrote it.
	MessageTime string
	// Text is the whole text; Argument is it without mentions of the app and
	// without a slash command.
	Text, Argument string

	// CommandID and CommandName are of a slash or quick command, as the app's
	// configuration in Google's console has them; the name mostly is unknown.
	CommandID, CommandName string

	// Function and Parameters are what a clicked button carries. Parameters is never nil.
	Function   string
	Parameters map[string]string
	// Dialog says that the click came from, or asks for, a dialog.
	Dialog bool
}

// User is who did it.
type User struct {
	Name  string // "users/123"
	Email string // empty for people outside the app's organisation
	Bot   bool
}

// Space is where it happened.
type Space struct {
	Name   string // "spaces/S"
	Direct bool   // a conversation with the app alone
}

// At is when the interaction happened, by Google's clock: the event's time, else
// its message's. ok is false when neither can be read. It is the same in every
// delivery of the event.
func (e Event) At() (at time.Time, ok bool) {
	for _, s := range []string{e.Time, e.MessageTime} {
		if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
