package group

import (
	"context"
	"errors"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/chatops"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

// Book makes changes to the live state, each once under its operation ID op and
// audited before it is made. Errors are those of package groups. Safe for
// concurrent use; methods block until the store answers.
type Book interface {
	Reserve(ctx context.Context, op string, r groups.Reservation) (groups.Live, error)
	Release(ctx context.Context, op, group, by, why string) (groups.Live, error)
	Drain(ctx context.Context, op, group, by, why string) (groups.Live, error)
	Undrain(ctx context.Context, op, group, by, why string) (groups.Live, error)
}

// Viewer shows every group as it stands; *route.Router is one.
type Viewer interface {
	View(ctx context.Context) (route.View, error)
}

// Config is what the commands work with.
type Config struct {
	Groups groups.Config
	Book   Book
	View   Viewer
}

// Commands answers with the commands about groups.
func Commands(c Config) ([]chatops.Command, error) {
	if len(c.Groups.Groups) == 0 || c.Book == nil || c.View == nil {
		return nil, errors.New("group commands: groups, book or view are missing")
	}
	return []chatops.Command{c.list(), c.reserve(), c.release(), c.drain(), c.undrain()}, nil
}

// BookOf makes a Book of the one in package groups.
func BookOf(b *groups.Book) Book { return book{b} }

type book struct{ b *groups.Book }

// started names the audit entry of a change as the desk names its own: see
// package functions/chat.
func started(ctx context.Context, op string) context.Context { return audit.WithID(ctx, op+"/started") }

func (k book) Reserve(ctx context.Context, op string, r groups.Reservation) (groups.Live, error) {
	return k.b.Once(op).Reserve(started(ctx, op), r)
}

func (k book) Release(ctx context.Context, op, group, by, why string) (groups.Live, error) {
	return k.b.Once(op).Release(started(ctx, op), group, by, why)
}

func (k book) Drain(ctx context.Context, op, group, by, why string) (groups.Live, error) {
	return k.b.Once(op).Drain(started(ctx, op), group, by, why)
}

func (k book) Undrain(ctx context.Context, op, group, by, why string) (groups.Live, error) {
	return k.b.Once(op).Undrain(started(ctx, op), group, by, why)
}
