package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// Monitoring's things have names of their own, so each carries a label with its file
// and one with the hash of what was rendered: by them it is known again.
const (
	labelFile   = "onceway-file"
	labelDigest = "onceway-digest"
)

func base(name string) string { return strings.TrimSuffix(filepath.Base(name), ".yaml") }

func (w *list) monitoring(files rendered) {
	for _, f := range files.names("metrics") {
		name := "onceway/" + base(f)
		config := "--config-from-file=" + files.path(f)
		w.add(resource{
			kind: kindMetric, name: name, want: settings{"digest": files.embedded(f)},
			create: w.command("logging", "metrics", "create", name, config),
			update: w.command("logging", "metrics", "update", name, config),
		})
	}
	for _, f := range files.names("dashboards") {
		w.add(resource{
			kind: kindDashboard, name: base(f), want: settings{"digest": files.embedded(f)},
			create: w.command("monitoring", "dashboards", "create", "--config-from-file="+files.path(f)),
			update: w.command("monitoring", "dashboards", "update", nameOf, "--config-from-file="+files.path(f)),
		})
	}
	for _, f := range files.names("alerts") {
		w.add(resource{
			kind: kindAlert, name: base(f), want: settings{"digest": files.embedded(f)},
			create: w.command("alpha", "monitoring", "policies", "create", "--policy-from-file="+files.path(f)),
			update: w.command("alpha", "monitoring", "policies", "update", nameOf, "--policy-from-file="+files.path(f)),
			tries:  7, // a new log metric takes a while until alerts may use it
		})
	}
}

// nameOf stands for the name that Monitoring gave, which observing finds.
const nameOf = "{name}"

func (o *observer) metrics(ctx context.Context) error {
	var all []struct{ Name, Description string }
	err := o.g.read(ctx, &all, "logging", "metrics", "list")
	for _, m := range all {
		_, digest, _ := strings.Cut(m.Description, labelDigest+" ")
		o.add(kindMetric, m.Name, settings{"digest": strings.TrimSuffix(digest, ")")})
	}
	return err
}

func (o *observer) dashboards(ctx context.Context) error {
	var all []struct {
		Name   string
		Labels map[string]string
	}
	err := o.g.read(ctx, &all, "monitoring", "dashboards", "list")
	for _, d := range all {
		if f := d.Labels[labelFile]; f != "" {
			o.add(kindDashboard, f, settings{"digest": d.Labels[labelDigest], nameOf: d.Name})
		}
	}
	return err
}

func (o *observer) alerts(ctx context.Context) error {
	var all []struct {
		Name       string
		UserLabels map[string]string
	}
	err := o.g.read(ctx, &all, "alpha", "monitoring", "policies", "list")
	for _, p := range all {
		if f := p.UserLabels[labelFile]; f != "" {
			o.add(kindAlert, f, settings{"digest": p.UserLabels[labelDigest], nameOf: p.Name})
		}
	}
	return err
}

// embedded is the digest that stands in a rendered file.
func (r rendered) embedded(name string) string {
	_, after, ok := strings.Cut(string(r.files[name]), labelDigest)
	after = strings.TrimLeft(after, ": \"'")
	if !ok || len(after) < len(noDigest) {
		panic(fmt.Sprintf("render: %s has no %s", name, labelDigest))
	}
	return after[:len(noDigest)]
}
