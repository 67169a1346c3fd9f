package main

import (
	"fmt"
	"os"

	"onceway.internal/shared/estate"
)

type provisionCmd struct {
	DryRun   bool `help:"Print the commands that would be run; nothing is changed."`
	Diff     bool `help:"Print what would change and why; nothing is changed."`
	Assume   bool `name:"from-nothing" help:"With --dry-run: look at nothing, print the commands for an empty project that has every service."`
	NoGroups bool `help:"Leave the initial reservations of groups.yaml alone: they need application credentials, the rest gcloud's."`
}

// Run compares, then prints or makes.
func (p provisionCmd) Run(c *console) error {
	if p.Assume && !p.DryRun {
		return fmt.Errorf("%w: --from-nothing goes with --dry-run", errUsage)
	}
	dir, err := os.MkdirTemp("", "onceway-")
	if err != nil {
		return fmt.Errorf("make a folder for rendered files: %w", err)
	}
	if !p.DryRun { // whose commands read them
		defer os.RemoveAll(dir)
	}
	changes, e, err := p.plan(c, dir)
	if err != nil {
		return err
	}
	switch {
	case p.Diff:
		printDiff(c.out, changes)
		return nil
	case p.DryRun:
		printCommands(c.out, changes)
		return nil
	}
	if err := apply(c.ctx, c.out, changes, c.cli.Jobs); err != nil {
		return err
	}
	summary(c.out, changes)
	if p.NoGroups {
		return nil
	}
	return seed(c.ctx, c.out, e)
}

func (p provisionCmd) plan(c *console, dir string) ([]change, estate.Estate, error) {
	var (
		e    estate.Estate
		seen = &observer{found: found{}, deployed: map[string]bool{}}
		err  error
	)
	if p.Assume {
		project := c.cli.Project
		if project == "" {
			project = "demo-project"
		}
		if e, err = c.estate("123456789012", project); err != nil {
			return nil, e, err
		}
		for _, s := range e.Services {
			seen.deployed[s.Name] = true
		}
	} else {
		var g *gcloud
		if g, e, err = c.open(); err != nil {
			return nil, e, err
		}
		if seen, err = observe(c.ctx, g, e, c.cli.Jobs); err != nil {
			return nil, e, err
		}
	}
	changes, err := compare(c, e, seen, dir)
	return changes, e, err
}

// compare renders what gcloud will read into dir, and plans.
func compare(c *console, e estate.Estate, seen *observer, dir string) ([]change, error) {
	files, err := renderMonitoring(e, c.cli.Infra, dir)
	if err != nil {
		return nil, err
	}
	if err := files.write(); err != nil {
		return nil, err
	}
	changes := plan(wanted(e, files), seen.found, seen.deployed)
	for i := range changes {
		changes[i].args = placed(changes[i], seen.found)
	}
	return changes, nil
}

// placed puts the name that Monitoring gave into a command.
func placed(c change, have found) []string {
	for i, a := range c.args {
		if a == nameOf {
			args := append([]string{}, c.args...)
			args[i] = have[id{c.kind, c.name}][nameOf]
			return args
		}
	}
	return c.args
}
