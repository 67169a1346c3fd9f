package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"onceway.internal/shared/letter"
	"onceway.internal/shared/settle"
)

type deadlettersCmd struct {
	List   lettersListCmd   `cmd:"" help:"List stored dead letters, newest first."`
	Show   lettersShowCmd   `cmd:"" help:"Show one letter; its body only with --body."`
	Replay lettersReplayCmd `cmd:"" help:"Run a letter's event again under its key."`
	Drop   lettersDropCmd   `cmd:"" help:"Remove a letter for good."`
}

func (t *terminal) letters() (letter.Store, error) {
	app, err := t.app()
	if err != nil {
		return nil, err
	}
	return app.Letters(t.ctx)
}

type lettersListCmd struct {
	Limit int    `default:"100" help:"At most so many."`
	Page  string `help:"Go on where a list ended."`
}

func (c *lettersListCmd) Run(t *terminal) error {
	if c.Limit < 1 || c.Limit > 1000 {
		return fmt.Errorf("%w: --limit %d is not between 1 and 1000", errUsage, c.Limit)
	}
	store, err := t.letters()
	if err != nil {
		return err
	}
	letters, next, err := store.List(t.ctx, c.Page, c.Limit)
	if err != nil {
		return fmt.Errorf("list letters: %w", err)
	}
	if letters == nil {
		letters = []letter.Letter{}
	}
	now := time.Now()
	err = t.print(struct {
		Letters []letter.Letter
		Next    string
	}{letters, next}, func(w io.Writer) {
		row(w, "ID", "REASON", "HANDLER", "ATTEMPTS", "AGE", "ERROR")
		for _, l := range letters {
			row(w, l.ID, l.Reason, orDash(l.Handler), l.Attempts, ago(now, l.PublishedAt), orDash(l.Error))
		}
	})
	if err == nil && next != "" && t.cli.Output == "table" {
		fmt.Fprintf(t.errw, "more: --page %s\n", next)
	}
	return err
}

type lettersShowCmd struct {
	ID   string `arg:"" help:"The letter's ID."`
	Body bool   `help:"Print the event's data too: it may hold what not everybody should see."`
}

func (c *lettersShowCmd) Run(t *terminal) error {
	store, err := t.letters()
	if err != nil {
		return err
	}
	l, err := store.Get(t.ctx, c.ID)
	if err != nil {
		return fmt.Errorf("show letter %s: %w", c.ID, err)
	}
	size := len(l.Data)
	if !c.Body {
		l.Data = nil
	}
	return t.print(l, func(w io.Writer) {
		for _, f := range [][2]any{
			{"id", l.ID}, {"reason", l.Reason}, {"handler", orDash(l.Handler)}, {"key", orDash(l.Key)}, {"epoch", l.Epoch}, {"attempts", l.Attempts},
			{"error", orDash(l.Error)}, {"source", orDash(l.Source)}, {"topic", orDash(l.Topic)}, {"message", l.MessageID},
			{"published", l.PublishedAt.UTC().Format(time.RFC3339)}, {"payload", l.PayloadHash}, {"bytes", size},
		} {
			row(w, f[0], f[1])
		}
		for k, v := range l.Attributes {
			row(w, "attribute "+k, v)
		}
		if c.Body {
			row(w, "body", string(l.Data))
		}
	})
}

type lettersReplayCmd struct {
	ID     string `arg:"" help:"The letter's ID."`
	Claim  string `help:"The claim of a letter that brings no key: match its payload hash."`
	NewKey bool   `help:"Run it as a new event, whatever became of the old: make sure first that it did not act."`
}

func (c *lettersReplayCmd) Run(t *terminal) error {
	how := "under its key"
	if c.NewKey {
		how = "as a NEW event: if the old one acted, it acts twice"
	}
	if err := t.confirm("Replay letter %s %s?", plain(c.ID), how); err != nil {
		return err
	}
	app, err := t.app()
	if err != nil {
		return err
	}
	settler, err := app.Settler(t.ctx)
	if err != nil {
		return err
	}
	err = t.audited("replay", c.ID, func(ctx context.Context) error {
		return settler.Replay(ctx, c.ID, settle.Replay{By: t.by(), Why: t.why("replayed"), ClaimID: c.Claim, NewKey: c.NewKey})
	})
	if err == nil {
		fmt.Fprintln(t.errw, "published again")
	}
	return err
}

type lettersDropCmd struct {
	ID string `arg:"" help:"The letter's ID."`
}

func (c *lettersDropCmd) Run(t *terminal) error {
	store, err := t.letters()
	if err != nil {
		return err
	}
	l, err := store.Get(t.ctx, c.ID)
	if err != nil {
		return fmt.Errorf("drop letter %s: %w", c.ID, err)
	}
	if err := t.confirm("Drop letter %s (%s, %s) for good?", plain(c.ID), orDash(plain(l.Handler)), plain(l.Reason)); err != nil {
		return err
	}
	err = t.audited("drop", c.ID, func(ctx context.Context) error { return store.Delete(ctx, c.ID) })
	if err == nil {
		fmt.Fprintln(t.errw, "dropped")
	}
	return err
}
