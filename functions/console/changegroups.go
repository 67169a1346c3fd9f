package console

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/groups"
)

// seen is the version of one group's live state: others don't change it.
func seen(l groups.Live, group string) string {
	r, reserved := l.Reservations[group]
	d, draining := l.Draining[group]
	b, err := json.Marshal([]any{reserved, r, draining, d})
	if err != nil {
		return "" // times and texts always encode
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// guarded is the live state as long as one group stands as its reader saw it. The
// book loads before each of its tries, so what it swaps on has been compared.
type guarded struct {
	groups.Store
	group, version, op string
}

func (g guarded) Load(ctx context.Context) (groups.Live, error) {
	l, err := g.Store.Load(ctx)
	if err != nil || g.version == "" || slices.Contains(l.Applied, g.op) || seen(l, g.group) == g.version {
		return l, err
	}
	return groups.Live{}, errChanged
}

// change makes one change of a group, once, on what its reader saw.
func (h *Handler) change(ctx context.Context, a act, version string, apply func(ctx context.Context, b *groups.Book) error) (op string, err error) {
	return h.do(ctx, a, func(ctx context.Context, a act) error {
		book, err := groups.NewBook(h.Groups, guarded{h.Live, a.target, version, a.op()}, audit.Changes{Log: h.Audit, Via: audit.Console, Now: h.Now})
		if err != nil {
			return err
		}
		err = apply(audit.WithID(ctx, a.op()+"/started"), book.Once(a.op()))
		if err == nil || !definite(err) || errors.Is(err, groups.ErrConflict) {
			h.ended(ctx, a, err) // else the book recorded no beginning
		}
		return err
	})
}

// maxNote bounds a note; names are bounded by the form as a whole.
const maxNote = 1000

type groupChange struct {
	Customers []string   `json:"customers,omitempty"` // reserve alone
	Until     *time.Time `json:"until,omitempty"`     // reserve alone; absent: until released
	Why       string     `json:"why,omitempty"`
	// Version of the group as it was read; absent: whatever stands there.
	Version string `json:"version,omitempty"`

	lasts time.Duration // instead of Until, from the moment of the change
}

// changeGroup is what forms and programs ask for: reserve, release, drain or undrain.
func (h *Handler) changeGroup(ctx context.Context, a act, c groupChange) (op string, err error) {
	if len(c.Why) > maxNote {
		return "", problemOf(400, codeInvalid, fmt.Sprintf("The note is over %d bytes.", maxNote))
	}
	var until time.Time
	if c.Until != nil {
		until = *c.Until
	}
	a.why, a.content = c.Why, fmt.Sprintf("%q %v %v %q %q", c.Customers, until.UTC(), c.lasts, c.Why, c.Version)
	return h.change(ctx, a, c.Version, func(ctx context.Context, b *groups.Book) (err error) {
		switch a.name {
		case "reserve":
			r := groups.Reservation{Group: a.target, Customers: c.Customers, Note: c.Why, By: a.who.Email}
			if r.Until = until; until.IsZero() && c.lasts > 0 {
				r.Until = h.Now().Add(c.lasts).Truncate(time.Second)
			}
			_, err = b.Reserve(ctx, r)
		case "release":
			_, err = b.Release(ctx, a.target, a.who.Email, c.Why)
		case "drain":
			_, err = b.Drain(ctx, a.target, a.who.Email, c.Why)
		case "undrain":
			_, err = b.Undrain(ctx, a.target, a.who.Email, c.Why)
		default:
			err = problemOf(404, codeNotFound, "There is nothing here.")
		}
		return err
	})
}
