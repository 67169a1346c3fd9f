package main

import (
	"fmt"
	"strings"
	"time"

	"onceway.internal/functions/console"
)

// ask confirms as confirm does; who asks is known to the console, not told by --actor.
func (t *terminal) ask(s *server, format string, args ...any) error {
	var me console.Person
	if err := s.get(t.ctx, &me, "me"); err != nil {
		return err
	}
	t.cli.Actor = me.Email
	return t.confirm("As "+strings.ReplaceAll(plain(me.Email), "%", "%%")+": "+format, args...)
}

// serverChange posts a change of a group on the version that it had before anybody was asked.
func (t *terminal) serverChange(s *server, group, change, question string, body map[string]any) error {
	var v console.Groups
	if err := s.get(t.ctx, &v, "groups"); err != nil {
		return err
	}
	for _, g := range v.Groups {
		if g.Group == group {
			body["version"] = g.Version
		}
	}
	if err := t.ask(s, "%s", question); err != nil {
		return err
	}
	if t.cli.Why != "" {
		body["why"] = t.cli.Why
	}
	if err := s.post(t.ctx, "groups/"+group+"/"+change, body); err != nil {
		return err
	}
	fmt.Fprintln(t.errw, group+": changed")
	return nil
}

func (t *terminal) serverReserve(s *server) error {
	c := t.cli.Reserve
	until, err := moment(c.Until, time.Now())
	if err != nil {
		return err
	}
	body := map[string]any{"customers": c.Customers}
	if !until.IsZero() {
		body["until"] = until.UTC()
	}
	return t.serverChange(s, c.Group, "reserve", fmt.Sprintf("Keep %s for %s alone?", c.Group, plain(strings.Join(c.Customers, ", "))), body)
}

func (t *terminal) serverGroup(change, question string, group *one) func(*server) error {
	return func(s *server) error {
		return t.serverChange(s, group.Group, change, fmt.Sprintf(question, group.Group), map[string]any{})
	}
}

func (t *terminal) serverResolve(s *server) error {
	c := t.cli.Claims.Resolve
	if c.Done == c.Retry {
		return fmt.Errorf("%w: say --done or --retry", errUsage)
	}
	r, err := t.serverFind(s, c.which)
	if err != nil {
		return fmt.Errorf("resolve claim: %w", err)
	}
	as, what := "done", "DONE: it acted"
	if c.Retry {
		as, what = "retry", "RETRY: it did not act, and runs again now"
	}
	if err := t.ask(s, "Claim %s (%s, %s) is %s. Settle it as %s?", r.ID[:16], plain(r.Handler), plain(orDash(r.Subject)), r.State, what); err != nil {
		return err
	}
	if err := s.post(t.ctx, "claims/"+r.ID+"/resolve", map[string]any{"as": as, "why": t.cli.Why, "version": r.Version}); err != nil {
		return err
	}
	fmt.Fprintln(t.errw, "settled")
	return nil
}

func (t *terminal) serverReplay(s *server) error {
	c := t.cli.Deadletters.Replay
	how := "under its key"
	if c.NewKey {
		how = "as a NEW event: if the old one acted, it acts twice"
	}
	if err := t.ask(s, "Replay letter %s %s?", plain(c.ID), how); err != nil {
		return err
	}
	if err := s.post(t.ctx, "letters/"+c.ID+"/replay", map[string]any{"why": t.cli.Why, "claim": c.Claim, "newKey": c.NewKey}); err != nil {
		return err
	}
	fmt.Fprintln(t.errw, "published again")
	return nil
}

func (t *terminal) serverDrop(s *server) error {
	c := t.cli.Deadletters.Drop
	var l console.Letter
	if err := s.get(t.ctx, &l, "letters/"+c.ID); err != nil {
		return fmt.Errorf("drop letter %s: %w", c.ID, err)
	}
	if err := t.ask(s, "Drop letter %s (%s, %s) for good?", plain(c.ID), orDash(plain(l.Handler)), plain(l.Reason)); err != nil {
		return err
	}
	if err := s.post(t.ctx, "letters/"+c.ID+"/drop", map[string]any{"why": t.cli.Why}); err != nil {
		return err
	}
	fmt.Fprintln(t.errw, "dropped")
	return nil
}
