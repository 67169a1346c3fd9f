package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"onceway.internal/shared/claim"
)

type claimsCmd struct {
	List    claimsListCmd    `cmd:"" help:"List claims, those that need a person first."`
	Show    claimsShowCmd    `cmd:"" help:"Show one claim with its trace."`
	Resolve claimsResolveCmd `cmd:"" help:"Settle a parked claim: it acted, or it did not and shall run."`
}

type claimsListCmd struct {
	State string `enum:",INDETERMINATE,DEAD,RETRY,EFFECT,CLAIMED,DONE" default:"" help:"Only this state; by default INDETERMINATE and DEAD."`
	Limit int    `default:"100" help:"At most so many of each state."`
}

func (c *claimsListCmd) Run(t *terminal) error {
	app, err := t.app()
	if err != nil {
		return err
	}
	lister, err := app.Lister(t.ctx)
	if err != nil {
		return err
	}
	states := []claim.State{claim.Indeterminate, claim.Dead}
	if c.State != "" {
		states = []claim.State{claim.State(c.State)}
	}
	if c.Limit < 1 || c.Limit > 1000 {
		return fmt.Errorf("%w: --limit %d is not between 1 and 1000", errUsage, c.Limit)
	}
	found := []claim.Stored{}
	for _, s := range states {
		records, _, err := lister.List(t.ctx, s, "", c.Limit)
		if err != nil {
			return fmt.Errorf("list %s claims: %w", s, err)
		}
		found = append(found, records...)
	}
	return t.print(found, func(w io.Writer) {
		row(w, "ID", "STATE", "HANDLER", "SUBJECT", "EPOCH", "ATTEMPTS", "SINCE", "REASON", "SUMMARY")
		for _, r := range found {
			row(w, r.ID[:min(16, len(r.ID))], r.State, r.Handler, orDash(r.Subject), r.Epoch, r.Attempts, ago(r.Now, r.Written), orDash(r.Reason), orDash(r.Summary))
		}
	})
}

// which names one claim.
type which struct {
	ID      string `arg:"" optional:"" help:"The claim's ID, or its beginning as logs show it (key_hash)."`
	Handler string `help:"With --key, instead of the ID."`
	Key     string `help:"With --handler, instead of the ID."`
}

// scanPages bounds the search for a claim by the beginning of its ID.
const scanPages = 20

func (c which) find(t *terminal) (claim.Stored, error) {
	if c.ID == "" && (c.Handler == "" || c.Key == "") {
		return claim.Stored{}, fmt.Errorf("%w: name the claim by its ID, or by --handler and --key", errUsage)
	}
	if c.ID != "" && len(c.ID) < 8 {
		return claim.Stored{}, fmt.Errorf("%w: %q is too short: give at least 8 digits of the ID", errUsage, c.ID)
	}
	app, err := t.app()
	if err != nil {
		return claim.Stored{}, err
	}
	m, err := app.Claims(t.ctx)
	if err != nil {
		return claim.Stored{}, err
	}
	switch {
	case c.ID == "":
		return m.Look(t.ctx, claim.ID(c.Handler, c.Key))
	case len(c.ID) == 64:
		return m.Look(t.ctx, c.ID)
	}
	lister, err := app.Lister(t.ctx)
	if err != nil {
		return claim.Stored{}, err
	}
	return scan(t.ctx, lister, c.ID)
}

func scan(ctx context.Context, lister claim.Lister, prefix string) (claim.Stored, error) {
	var found []claim.Stored
	for _, state := range claim.States {
		page := ""
		for range scanPages {
			records, next, err := lister.List(ctx, state, page, 1000)
			if err != nil {
				return claim.Stored{}, fmt.Errorf("list %s claims: %w", state, err)
			}
			for _, r := range records {
				if strings.HasPrefix(r.ID, prefix) {
					found = append(found, r)
				}
			}
			if page = next; page == "" {
				break
			}
		}
	}
	switch len(found) {
	case 0:
		return claim.Stored{}, fmt.Errorf("%w: none begins with %s among the newest; give the whole ID", claim.ErrNotFound, prefix)
	case 1:
		return found[0], nil
	}
	return claim.Stored{}, fmt.Errorf("%w: %d claims begin with %s: give more of the ID", errUsage, len(found), prefix)
}

type claimsShowCmd struct{ which }

func (c *claimsShowCmd) Run(t *terminal) error {
	r, err := c.find(t)
	if err != nil {
		return fmt.Errorf("show claim: %w", err)
	}
	return t.print(r, func(w io.Writer) {
		for _, f := range [][2]any{
			{"id", r.ID}, {"handler", r.Handler}, {"key", r.Key}, {"state", r.State}, {"policy", r.Policy}, {"subject", orDash(r.Subject)},
			{"summary", orDash(r.Summary)}, {"operation", r.OperationID}, {"epoch", r.Epoch}, {"attempts", r.Attempts}, {"lease", r.Lease},
			{"written", ago(r.Now, r.Written) + " ago"}, {"reason", orDash(r.Reason)}, {"last error", orDash(r.LastError)}, {"payload", r.PayloadHash},
		} {
			row(w, f[0], f[1])
		}
		for _, s := range r.Trace {
			row(w, "trace", fmt.Sprintf("%s  epoch %d  %s -> %s by %s", s.At.Format("2006-01-02T15:04:05Z07:00"), s.Epoch, orDash(string(s.From)), s.To, s.By))
		}
	})
}

type claimsResolveCmd struct {
	which
	Done  bool `xor:"how" help:"It acted: the event ends here."`
	Retry bool `xor:"how" help:"It did not act: the event runs again."`
}

func (c *claimsResolveCmd) Run(t *terminal) error {
	if c.Done == c.Retry {
		return fmt.Errorf("%w: say --done or --retry", errUsage)
	}
	r, err := c.find(t)
	if err != nil {
		return fmt.Errorf("resolve claim: %w", err)
	}
	what, action := "DONE: it acted", "resolve done"
	if c.Retry {
		what, action = "RETRY: it did not act, and runs again now", "resolve retry"
	}
	if err := t.confirm("Claim %s (%s, %s) is %s. Settle it as %s?", r.ID[:16], r.Handler, plain(orDash(r.Subject)), r.State, what); err != nil {
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
	err = t.audited(action, r.ID, func(ctx context.Context) error {
		if c.Done {
			_, err = settler.SettleDone(ctx, r, t.by(), t.why("resolved as done"))
		} else {
			_, err = settler.SettleRetry(ctx, r, t.by(), t.why("resolved as not done"))
		}
		return err
	})
	if errors.Is(err, claim.ErrConflict) {
		return fmt.Errorf("somebody else settled it meanwhile: look again: %w", err)
	}
	if err == nil {
		fmt.Fprintln(t.errw, "settled")
	}
	return err
}
