package main

import (
	"fmt"
	"io"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/route"
	"onceway.internal/shared/setting"
)

type scoreCmd struct {
	DryRun   bool   `help:"Choose, and record nothing: the only way there is here."`
	Customer string `help:"For this customer."`
	Size     int64  `default:"1000" help:"Messages in the campaign."`
}

func (c *scoreCmd) Run(t *terminal) error {
	if !c.DryRun {
		return fmt.Errorf("%w: say --dry-run: a choice that counts is made by the function Assign", errUsage)
	}
	app, err := t.app()
	if err != nil {
		return err
	}
	router, err := app.Router(t.ctx)
	if err != nil {
		return err
	}
	a, err := router.Preview(t.ctx, route.Campaign{ID: "preview-" + claim.NewToken(), Customer: c.Customer, Size: c.Size})
	if err != nil {
		return err
	}
	return t.print(a, func(w io.Writer) {
		row(w, "GROUP", "SCORE", "SAMPLED", "CORRECTION", "DATA", "SAMPLE AGE", "WHY NOT")
		for _, c := range a.Candidates {
			mark := ""
			if c.Group == a.Group {
				mark = " *"
			}
			row(w, c.Group+mark, fmt.Sprintf("%.1f", c.Score), fmt.Sprintf("%.1f", c.Sampled), fmt.Sprintf("%+.1f", c.Correction), c.Data, c.SampleAge.Round(time.Second), orDash(c.Why))
		}
		row(w)
		row(w, "topic", a.Topic)
		row(w, "rule", a.Rule)
		row(w, "reason", a.Reason)
	})
}

type configCmd struct{}

func (c *configCmd) Run(t *terminal) error {
	vars := setting.Variables()
	return t.print(vars, func(w io.Writer) {
		row(w, "VARIABLE", "TYPE", "DEFAULT", "MEANING")
		for _, v := range vars {
			row(w, v.Name, v.Type, orDash(v.Default), v.Help)
		}
	})
}
