package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// settings are what is compared of a resource: readable names and values.
type settings map[string]string

// kind orders what is made: everything of one kind stands before the next begins.
type kind int

const (
	kindAPI kind = iota
	kindAgent
	kindAccount
	kindRepository
	kindBucket
	kindDatabase
	kindTopic
	kindSubscription
	kindTTL
	kindIndex
	kindGrant
	kindMetric
	kindDashboard
	kindAlert
	kindJob
	kindService
)

var kindNames = [...]string{
	"API", "service agent", "account", "repository", "bucket", "database", "topic", "subscription",
	"TTL policy", "index exemption", "grant", "log metric", "dashboard", "alert", "job", "service",
}

func (k kind) String() string { return kindNames[k] }

// resource is one thing that is to be there, and the commands that make it so.
type resource struct {
	kind   kind
	name   string
	want   settings
	create []string
	// update changes a resource that differs; nil says that it can't be changed in place.
	update []string
	// flags are those that go with a setting: only what differs is sent. Nil sends update
	// as it is.
	flags map[string][]string
	// after is the service that must have been deployed before; "" is none.
	after string
	// foreign belongs to another project: it is looked at, never made.
	foreign bool
	// lock names what can't take two changes at once; "" is nothing.
	lock string
	// tries is how often a command is run that fails; what it needs may take a while to
	// be seen everywhere.
	tries int
}

type id struct {
	kind kind
	name string
}

// found is what is there.
type found map[id]settings

// change is what has to be done about a resource.
type change struct {
	resource
	// args is the command; nil where there is none to run.
	args []string
	// diff says why, as "setting: old -> new"; empty where the resource is missing.
	diff []string
	note string
	// done is the word for what was done.
	done string
}

// waiting reports whether the change has to wait for a first release.
func (c change) waiting() bool { return c.args == nil && c.after != "" && !c.foreign }

// plan compares. deployed says which services are there.
func plan(wanted []resource, have found, deployed map[string]bool) []change {
	var changes []change
	for _, r := range wanted {
		got, ok := have[id{r.kind, r.name}]
		switch c := (change{resource: r}); {
		case ok && len(differences(r.want, got)) == 0:
		case r.foreign:
			c.note = "belongs to another project, which has to make or change it"
			if ok {
				c.diff = differences(r.want, got)
			}
			changes = append(changes, c)
		case !ok && r.after != "" && !deployed[r.after]:
			c.note = "waits for the first release of " + r.after
			changes = append(changes, c)
		case !ok:
			c.args, c.done = r.create, "made"
			changes = append(changes, c)
		default:
			c.diff, c.args, c.done = differences(r.want, got), r.changing(got), "changed"
			if c.args == nil {
				c.note = "can't be changed in place"
			}
			changes = append(changes, c)
		}
	}
	return merged(changes)
}

// changing is the command that changes what differs; nil where there is none.
func (r resource) changing(got settings) []string {
	if r.flags == nil {
		return r.update
	}
	args := r.update
	for _, name := range slices.Sorted(maps.Keys(r.want)) {
		for _, f := range r.flags[name] {
			if r.want[name] != got[name] && !slices.Contains(args, f) {
				args = append(args[:len(args):len(args)], f)
			}
		}
	}
	if len(args) == len(r.update) {
		return nil
	}
	return args
}

func differences(want, got settings) []string {
	var diff []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if want[name] != got[name] {
			diff = append(diff, fmt.Sprintf("%s: %s -> %s", name, orNone(got[name]), orNone(want[name])))
		}
	}
	return diff
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

// merged enables all missing APIs by one command.
func merged(changes []change) []change {
	var apis *change
	var out []change
	for _, c := range changes {
		if c.kind != kindAPI {
			out = append(out, c)
			continue
		}
		if apis == nil {
			apis = &c
			continue
		}
		apis.name += " " + c.name
		at := slices.IndexFunc(apis.args, func(a string) bool { return strings.HasPrefix(a, "--") })
		apis.args = slices.Insert(slices.Clone(apis.args), at, c.name)
	}
	if apis != nil {
		out = append([]change{*apis}, out...)
	}
	return out
}
