package main

import (
	"fmt"
	"io"
	"time"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/route"
)

type policyCmd struct {
	Policy      string   `arg:"" optional:"" help:"corrected, two-choices, round-robin, weighted-round-robin, lowest or static."`
	Mode        string   `help:"drain, weighted or size."`
	Static      string   `help:"The group of policy static."`
	DrainTrust  *float64 `help:"How far the modelled drain since a sample is believed, 0 to 1."`
	TypicalSize int64    `help:"What a campaign of unknown size counts as, in messages."`
}

// Run shows the settings that routers go by now, or changes what was named; routers
// follow within a second.
func (c *policyCmd) Run(t *terminal) error {
	app, err := t.app()
	if err != nil {
		return err
	}
	router, err := app.Router(t.ctx)
	if err != nil {
		return err
	}
	state, err := app.State(t.ctx)
	if err != nil {
		return err
	}
	base := route.DefaultSettings()
	base.Policy, base.Mode = route.Policy(app.Config.Routing.Policy), route.Mode(app.Config.Routing.Mode)
	if *c == (policyCmd{}) {
		snap, err := state.Read(t.ctx, time.Now()) // the ledger is not wanted
		if err != nil {
			return err
		}
		if snap.Settings != nil {
			base = *snap.Settings
		}
		return t.settings(base)
	}
	if err := t.confirm("Change how campaigns are routed, for every router?"); err != nil {
		return err
	}
	log, err := app.Audit(t.ctx)
	if err != nil {
		return err
	}
	changes := audit.Changes{Log: log, Via: audit.Ctl, Now: time.Now}
	now, err := route.Adjust(t.ctx, state, router.Groups(), base, changes, t.cli.Actor, c.apply)
	if err != nil {
		return err
	}
	return t.settings(now)
}

// apply changes what was named, and nothing else.
func (c *policyCmd) apply(s *route.Settings) {
	if c.Policy != "" {
		s.Policy = route.Policy(c.Policy)
	}
	if c.Mode != "" {
		s.Mode = route.Mode(c.Mode)
	}
	if c.Static != "" {
		s.Static = c.Static
	}
	if c.DrainTrust != nil {
		s.DrainTrust = *c.DrainTrust
	}
	if c.TypicalSize != 0 {
		s.TypicalSize = c.TypicalSize
	}
}

func (t *terminal) settings(s route.Settings) error {
	return t.print(s, func(w io.Writer) {
		row(w, "policy", s.Policy)
		row(w, "mode", s.Mode)
		row(w, "static", orDash(s.Static))
		row(w, "drain trust", fmt.Sprintf("%g", s.DrainTrust))
		row(w, "typical size", s.TypicalSize)
		row(w, "set by", orDash(s.By))
	})
}
