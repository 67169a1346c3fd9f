package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

type groupsCmd struct{}

func (c *groupsCmd) Run(t *terminal) error {
	app, err := t.app()
	if err != nil {
		return err
	}
	router, err := app.Router(t.ctx)
	if err != nil {
		return err
	}
	v, err := router.View(t.ctx)
	if err != nil {
		return err
	}
	if v.Down != nil {
		return fmt.Errorf("read routing state: %w", v.Down)
	}
	return t.print(v, func(w io.Writer) {
		row(w, "GROUP", "SCORE", "CORRECTION", "DATA", "SAMPLE AGE", "CAPACITY/s", "BACKLOG", "RESERVED FOR", "DRAINING")
		for _, c := range v.Candidates {
			row(w, c.Group, fmt.Sprintf("%.1f", c.Score), fmt.Sprintf("%+.1f", c.Correction), c.Data, c.SampleAge.Round(time.Second),
				fmt.Sprintf("%.1f", c.Capacity), backlogs(router.Groups(), v.Figures, c.Group), reservedFor(v.Live, c.Group), draining(v.Live, c.Group))
		}
	})
}

// backlogs shows each queue's backlog in the order of the queues.
func backlogs(c groups.Config, f route.Figures, group string) string {
	g, _ := c.Group(group)
	texts := make([]string, len(g.Queues))
	for i, q := range g.Queues {
		texts[i] = "?"
		if fig, ok := f[group][q.Name]; ok && !fig.At.IsZero() {
			texts[i] = fmt.Sprintf("%.0f", fig.Backlog)
		}
	}
	return strings.Join(texts, " > ")
}

func reservedFor(l groups.Live, group string) string {
	r, ok := l.Reservations[group]
	if !ok || r.Ended(l.ReadAt) {
		return "-"
	}
	text := strings.Join(r.Customers, ", ")
	if !r.Until.IsZero() {
		text += " until " + r.Until.UTC().Format("2006-01-02 15:04Z")
	}
	return text
}

func draining(l groups.Live, group string) string {
	d, ok := l.Draining[group]
	if !ok {
		return "-"
	}
	return "by " + d.By
}

// change confirms and makes one change of the live state, which audits itself.
func (t *terminal) change(question, group string, do func(*groups.Book) error) error {
	if err := t.confirm("%s", question); err != nil {
		return err
	}
	app, err := t.app()
	if err != nil {
		return err
	}
	book, err := app.Book(t.ctx, audit.Ctl)
	if err != nil {
		return err
	}
	if err := do(book); err != nil {
		return err
	}
	fmt.Fprintln(t.errw, group+": changed")
	return nil
}

type reserveCmd struct {
	Group     string   `arg:"" help:"The group's ID."`
	Customers []string `arg:"" help:"Whom it is kept for."`
	Until     string   `help:"When it ends: RFC 3339, as 2030-01-31T18:00:00Z, or a duration from now, as 4h."`
}

func (c *reserveCmd) Run(t *terminal) error {
	until, err := moment(c.Until, time.Now())
	if err != nil {
		return err
	}
	q := fmt.Sprintf("Keep %s for %s alone?", c.Group, plain(strings.Join(c.Customers, ", ")))
	return t.change(q, c.Group, func(b *groups.Book) error {
		_, err := b.Reserve(t.ctx, groups.Reservation{Group: c.Group, Customers: c.Customers, Until: until, Note: t.cli.Why, By: t.cli.Actor})
		return err
	})
}

func moment(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(s); err == nil {
		return now.Add(d), nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return at, fmt.Errorf("%w: --until %q is neither a time like 2030-01-31T18:00:00Z nor a duration like 4h", errUsage, s)
	}
	return at, nil
}

type one struct {
	Group string `arg:"" help:"The group's ID."`
}

type releaseCmd struct{ one }

func (c *releaseCmd) Run(t *terminal) error {
	return t.change("End the reservation of "+c.Group+"?", c.Group, func(b *groups.Book) error {
		_, err := b.Release(t.ctx, c.Group, t.cli.Actor, t.cli.Why)
		return err
	})
}

type drainCmd struct{ one }

func (c *drainCmd) Run(t *terminal) error {
	return t.change("Send "+c.Group+" no new campaigns?", c.Group, func(b *groups.Book) error {
		_, err := b.Drain(t.ctx, c.Group, t.cli.Actor, t.cli.Why)
		return err
	})
}

type undrainCmd struct{ one }

func (c *undrainCmd) Run(t *terminal) error {
	return t.change("Send "+c.Group+" campaigns again?", c.Group, func(b *groups.Book) error {
		_, err := b.Undrain(t.ctx, c.Group, t.cli.Actor, t.cli.Why)
		return err
	})
}
