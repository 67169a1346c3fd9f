package chat

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	chatapi "google.golang.org/api/chat/v1"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/deployment"
	"onceway.internal/shared/chatops/parked"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/chatops/proposal"
	"onceway.internal/shared/chatops/reply"
	"onceway.internal/shared/chatops/silence"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/once"
)

// Replies posts and edits messages; *reply.Client is one.
type Replies interface {
	// Post posts a message, once for each request ID, and answers with its name.
	Post(ctx context.Context, m reply.Message) (name string, err error)
	// Edit replaces a message's text and cards.
	Edit(ctx context.Context, name, text string, cards []*chatapi.CardWithId) error
}

// Proposals settles which press of a card's buttons counts; *proposal.Book is one.
type Proposals interface {
	Take(ctx context.Context, id string, t proposal.Taken) (proposal.Taken, error)
}

// Config is what the handler works with. Every field is required but AppCommands.
type Config struct {
	Commands *chatops.Set
	// AppCommands maps IDs of slash and quick commands to the words they stand for.
	AppCommands map[string]string
	Policy      *policy.Policy
	Replies     Replies
	Proposals   Proposals
	Audit       audit.Log
	Log         *slog.Logger
	Clock       clock.Clock
	// WorkingAfter is how long a command may take before "working" is posted.
	WorkingAfter time.Duration
}

// Handler implements once.Verifier.
type Handler struct{ c Config }

var _ once.Verifier = (*Handler)(nil)

// New checks the configuration, the policy's commands against those that exist.
func New(c Config) (*Handler, error) {
	var faults []error
	missing := func(is bool, what string) {
		if is {
			faults = append(faults, errors.New("chat: "+what+" missing"))
		}
	}
	missing(c.Commands == nil, "commands are")
	missing(c.Policy == nil, "policy is")
	missing(c.Replies == nil, "replies are")
	missing(c.Proposals == nil, "proposals are")
	missing(c.Audit == nil, "audit log is")
	missing(c.Log == nil, "log is")
	missing(c.Clock == nil, "clock is")
	missing(c.WorkingAfter <= 0, "time until \"working\" is")
	if c.Commands != nil && c.Policy != nil {
		faults = append(faults, c.Policy.Check(c.known))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return &Handler{c: c}, nil
}

// known reports whether there is a command of that name, here or where a cluster and
// an Alertmanager are: one policy file serves both.
func (c Config) known(name string) bool {
	_, ok := c.Commands.Find(name)
	return ok || name == silence.Name || name == parked.Name || slices.Contains(deployment.Names(), name)
}

// Name implements once.Handler.
func (h *Handler) Name() string { return "chat" }
