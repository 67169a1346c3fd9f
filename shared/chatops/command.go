package chatops

import (
	"context"
	"time"

	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/once"
)

// Effect is what a command may do to the world.
type Effect int

// The effects.
const (
	Reads   Effect = iota // changes nothing
	Repeats               // changes something; under one operation ID a repeat changes nothing more
	Once                  // must not happen twice
)

// Policy is how a command of this effect is claimed.
func (e Effect) Policy() claim.Policy {
	if e == Once {
		return claim.AtMostOnceAfterBegin
	}
	return claim.AtLeastOnce
}

// Command is one thing that can be asked for. Commands are values: nobody
// changes one after it was put into a Set.
type Command struct {
	// Name is the words it begins with, lowercase, separated by one space: "restart deployment".
	Name string
	// Usage is what follows the name: "NAMESPACE/NAME".
	Usage string
	// Brief says in a few words what it does; shown by "help NAME".
	Brief  string
	Role   policy.Role // the least that may ask for it
	Effect Effect

	// Parse reads the arguments. It is pure. An error is shown to whoever asked,
	// after the usage; say what is wrong with the words.
	Parse func(a Args) (Call, error)

	// Verify finds out whether an operation of this command took effect, from the
	// Subject of its Call; nil when nothing can be known. See once.Verifier.
	Verify func(ctx context.Context, subject, operationID string) (once.Answer, error)
}

// Call is a command with its arguments, ready to run.
type Call struct {
	// Target is what it is about, for the audit log and the summary of its claim:
	// nothing secret or personal. May be empty.
	Target string
	// Detail is what else the audit log should hold, such as the arguments. May be empty.
	Detail string
	Reason string // in the asker's words; may be empty
	// Subject is what Verify needs. At most 400 bytes.
	Subject string
	// Do does it, and answers with a text for people in Chat's own markup. It is
	// called once for each attempt. Before the effect it calls op.Begin and goes
	// on only without an error, which it returns as it is.
	//
	// Errors: a Refusal is shown and the command is finished: nothing changed and
	// trying again would not help. Any other is read by its verdict (see package
	// once), and shown by what Explain gave it.
	Do func(ctx context.Context, op Operation) (string, error)
}

// Operation is one run of a Call.
type Operation struct {
	ID    string // for everything downstream that can deduplicate
	Epoch int64  // fencing token
	Actor string // the e-mail address of whoever asked, or what else is known of them
	At    time.Time
	// Begin records the point of no return and answers with the effect's context.
	// For a command that doesn't need it, it changes nothing.
	Begin func(context.Context) (context.Context, error)
}
