package main

import (
	"bufio"
	"fmt"
	"strings"

	"onceway.internal/shared/estate"
)

type destroyCmd struct {
	Confirm string `help:"The project's ID, to go ahead without being asked."`
	Data    bool   `help:"Delete the Firestore database and the sources' bucket too."`
	DryRun  bool   `help:"Print the commands; nothing is changed."`
}

// Run removes what is there of the estate, last made first. APIs stay enabled and
// roles go with what they were on, but for those on the project.
func (d destroyCmd) Run(c *console) error {
	g, e, err := c.open()
	if err != nil {
		return err
	}
	seen, err := observe(c.ctx, g, e, c.cli.Jobs)
	if err != nil {
		return err
	}
	changes := d.removals(e, seen)
	if len(changes) == 0 {
		fmt.Fprintln(c.out, "nothing of it is there")
		return nil
	}
	printCommands(c.out, changes)
	if d.DryRun {
		return nil
	}
	if err := d.ask(c, e.Project.ID, len(changes)); err != nil {
		return err
	}
	return apply(c.ctx, c.out, changes, c.cli.Jobs)
}

func (d destroyCmd) ask(c *console, project string, n int) error {
	answer := d.Confirm
	if answer == "" {
		fmt.Fprintf(c.out, "This removes %d things from %s, and messages with them. Type the project's ID to go on: ", n, project)
		answer, _ = bufio.NewReader(c.in).ReadString('\n') // an end of input is no ID
	}
	if strings.TrimSpace(answer) != project {
		return errNo
	}
	return nil
}

func (d destroyCmd) removals(e estate.Estate, seen *observer) []change {
	var out []change
	remove := func(k kind, name string, args ...string) {
		out = append(out, change{resource: resource{kind: k, name: name}, args: append(args, "--project="+e.Project.ID), done: "removed"})
	}
	region := e.File.Region
	for _, j := range e.Jobs {
		if seen.has(kindJob, j.Name) {
			remove(kindJob, j.Name, "scheduler", "jobs", "delete", j.Name, "--location="+region)
		}
	}
	for _, k := range []struct {
		kind kind
		cmd  []string
	}{{kindAlert, []string{"alpha", "monitoring", "policies", "delete"}}, {kindDashboard, []string{"monitoring", "dashboards", "delete"}}} {
		for have, s := range seen.found {
			if have.kind == k.kind {
				remove(k.kind, have.name, append(k.cmd, s[nameOf])...)
			}
		}
	}
	for have := range seen.found {
		if have.kind == kindMetric && strings.HasPrefix(have.name, "onceway/") {
			remove(kindMetric, have.name, "logging", "metrics", "delete", have.name)
		}
	}
	d.projectGrants(e, seen, &out)
	for _, s := range e.Subscriptions {
		if !s.Foreign && seen.has(kindSubscription, s.Name) {
			remove(kindSubscription, s.Name, "pubsub", "subscriptions", "delete", estate.Short(s.Name))
		}
	}
	for _, t := range e.Topics {
		if !t.Foreign && seen.has(kindTopic, t.Name) {
			remove(kindTopic, t.Name, "pubsub", "topics", "delete", estate.Short(t.Name))
		}
	}
	for _, s := range e.Services {
		if seen.deployed[s.Name] {
			remove(kindService, s.Name, "run", "services", "delete", s.Name, "--region="+region)
		}
	}
	if seen.has(kindRepository, e.File.Repository) {
		remove(kindRepository, e.File.Repository, "artifacts", "repositories", "delete", e.File.Repository, "--location="+region)
	}
	if d.Data && seen.has(kindDatabase, e.File.Database.Name) {
		// apply takes kinds in turn: protection goes before the bucket's kind ends.
		remove(kindDatabase, "protection of "+e.File.Database.Name, "firestore", "databases", "update", "--database="+e.File.Database.Name, "--no-delete-protection")
	}
	if d.Data && seen.has(kindBucket, e.Bucket()) {
		remove(kindBucket, e.Bucket(), "storage", "rm", "gs://"+e.Bucket(), "--recursive")
	}
	if d.Data && seen.has(kindDatabase, e.File.Database.Name) {
		remove(kindDatabase, e.File.Database.Name, "firestore", "databases", "delete", "--database="+e.File.Database.Name)
	}
	for _, a := range e.Accounts {
		if seen.has(kindAccount, a.Email) {
			remove(kindAccount, a.Email, "iam", "service-accounts", "delete", a.Email)
		}
	}
	return out
}

// projectGrants take roles on the project away: they would outlive their accounts.
func (d destroyCmd) projectGrants(e estate.Estate, seen *observer, out *[]change) {
	for _, g := range e.Grants {
		if g.On != estate.OnProject || !seen.has(kindGrant, grantName(g.On, g.Name, g.Member, g.Role, g.Condition)) {
			continue
		}
		condition := "--condition=None"
		if g.Condition != "" {
			condition = "--condition=title=" + databaseTitle + ",expression=" + g.Condition
		}
		*out = append(*out, change{
			resource: resource{kind: kindGrant, name: "project: " + g.Member + " " + g.Role, lock: "project"},
			done:     "removed",
			args:     policyArgs(e, g.On, g.Name, "remove-iam-policy-binding", "--member="+g.Member, "--role="+g.Role, condition),
		})
	}
}
