package groups

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// swapTries bounds how often a change is tried again when others change the
// state at the same time.
const swapTries = 10

// Book makes people's changes to the live state: each a compare-and-swap, each
// audited before it is made. It is safe for concurrent use.
type Book struct {
	config Config
	store  Store
	audit  Auditor
	op     string
}

// NewBook returns a Book for the groups of c.
func NewBook(c Config, s Store, a Auditor) (*Book, error) {
	if len(c.Groups) == 0 || s == nil || a == nil {
		return nil, errors.New("groups: a book needs groups, a store and an auditor")
	}
	return &Book{config: c, store: s, audit: a}, nil
}

// appliedKept is how many operations are remembered: far more than are changed
// between an operation and its last redelivery.
const appliedKept = 200

// Once returns a Book that makes one change under the operation ID op: where the
// live state has taken op already, a repeat answers with the state as it is now
// and changes nothing, whatever others did since.
func (b *Book) Once(op string) *Book {
	c := *b
	c.op = op
	return &c
}

// Config is the groups that the book is for.
func (b *Book) Config() Config { return b.config }

// Load answers with the live state.
func (b *Book) Load(ctx context.Context) (Live, error) { return b.store.Load(ctx) }

// Reserve keeps a group for r.Customers. A reservation for the same customers
// is replaced (a new end or note); one for others, while it holds, is ErrReserved.
func (b *Book) Reserve(ctx context.Context, r Reservation) (Live, error) {
	r.Customers, r.Until = normal(r.Customers), r.Until.UTC()
	if len(r.Customers) == 0 || r.By == "" {
		return Live{}, fmt.Errorf("reserve %s: %w: customers and who asks are required", r.Group, ErrInvalid)
	}
	detail := "for " + strings.Join(r.Customers, ", ")
	if !r.Until.IsZero() {
		detail += " until " + r.Until.UTC().Format(time.RFC3339)
	}
	return b.change(ctx, r.By, "reserve", r.Group, note(detail, r.Note), func(l *Live) error {
		if r.Ended(l.ReadAt) {
			return fmt.Errorf("%w: the end is in the past", ErrInvalid)
		}
		held, ok := l.Reservations[r.Group]
		if ok && !held.Ended(l.ReadAt) && !slices.Equal(held.Customers, r.Customers) {
			return fmt.Errorf("%w: for %s by %s", ErrReserved, strings.Join(held.Customers, ", "), held.By)
		}
		r.Since = l.ReadAt
		l.Reservations[r.Group] = r
		l.Seeded[r.Group] = true
		return nil
	})
}

// Release ends a group's reservation. ErrNotReserved when there is none.
func (b *Book) Release(ctx context.Context, group, by, why string) (Live, error) {
	return b.change(ctx, by, "release", group, note("", why), func(l *Live) error {
		if _, ok := l.Reservations[group]; !ok {
			return ErrNotReserved
		}
		delete(l.Reservations, group)
		l.Seeded[group] = true
		return nil
	})
}

// Drain lets a group take no new campaigns. Draining a draining group changes its note.
func (b *Book) Drain(ctx context.Context, group, by, why string) (Live, error) {
	return b.change(ctx, by, "drain", group, note("", why), func(l *Live) error {
		l.Draining[group] = Drain{Since: l.ReadAt, Note: why, By: by}
		return nil
	})
}

// Undrain lets a group take campaigns again; it succeeds when the group was not draining.
func (b *Book) Undrain(ctx context.Context, group, by, why string) (Live, error) {
	return b.change(ctx, by, "undrain", group, note("", why), func(l *Live) error {
		delete(l.Draining, group)
		return nil
	})
}

// Seed creates the file's initial reservations where there never was one.
func (b *Book) Seed(ctx context.Context, by string) (Live, error) {
	live, err := b.store.Load(ctx)
	for _, g := range b.config.Groups {
		if err != nil {
			return Live{}, fmt.Errorf("seed reservations: %w", err)
		}
		if g.Reservation == nil || live.Seeded[g.ID] || g.Reservation.Ended(live.ReadAt) {
			continue
		}
		r := *g.Reservation
		r.Group, r.By = g.ID, by
		live, err = b.Reserve(ctx, r)
	}
	return live, err
}

// change audits and then swaps, again from a fresh read when others were faster.
func (b *Book) change(ctx context.Context, by, action, group, detail string, apply func(*Live) error) (Live, error) {
	if _, ok := b.config.Group(group); !ok {
		return Live{}, fmt.Errorf("%s %s: %w", action, group, ErrUnknownGroup)
	}
	audited := false
	for range swapTries {
		l, err := b.store.Load(ctx)
		if err != nil {
			return Live{}, fmt.Errorf("%s %s: %w", action, group, err)
		}
		if b.op != "" && slices.Contains(l.Applied, b.op) {
			return l, nil
		}
		next := l.Clone()
		if b.op != "" {
			next.Applied = append(next.Applied, b.op)
			next.Applied = next.Applied[max(0, len(next.Applied)-appliedKept):]
		}
		if err := apply(&next); err != nil {
			return Live{}, fmt.Errorf("%s %s: %w", action, group, err)
		}
		if !audited {
			if err := b.audit.Audit(ctx, by, action, group, detail); err != nil {
				return Live{}, fmt.Errorf("%s %s: not done, as it can't be audited: %w", action, group, err)
			}
			audited = true
		}
		done, err := b.store.Swap(ctx, next)
		if err == nil {
			return done, nil
		}
		if errors.Is(err, ErrConflict) {
			continue
		}
		if done, ok := b.happened(ctx, next); ok {
			return done, nil
		}
		if !errors.Is(err, ErrBusy) {
			return Live{}, fmt.Errorf("%s %s: %w", action, group, err)
		}
	}
	return Live{}, fmt.Errorf("%s %s: %w", action, group, ErrConflict)
}

// happened finds out whether a swap whose answer was lost took place. Changes
// carry who and when, so equal content means that it was this one.
func (b *Book) happened(ctx context.Context, want Live) (Live, bool) {
	got, err := b.store.Load(ctx)
	return got, err == nil && sameContent(got, want)
}

func sameContent(a, b Live) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}

func normal(customers []string) []string {
	var out []string
	for _, c := range customers {
		if c = strings.TrimSpace(c); c != "" {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func note(detail, why string) string {
	switch {
	case why == "":
		return detail
	case detail == "":
		return why
	}
	return detail + ": " + why
}
