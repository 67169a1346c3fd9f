package main

import (
	"context"
	"errors"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"onceway.internal/shared/estate"
)

// observer looks at what is there, a list of each kind at a time: one describe for
// each resource would take minutes.
type observer struct {
	g    *gcloud
	e    estate.Estate
	jobs int

	mu       sync.Mutex
	found    found
	deployed map[string]bool
}

func (o *observer) add(k kind, name string, s settings) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.found[id{k, name}] = s
}

func (o *observer) has(k kind, name string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, ok := o.found[id{k, name}]
	return ok
}

// observe answers with what is there of the estate, and which services are deployed.
// In a project whose APIs are off nothing is asked of them.
func observe(ctx context.Context, g *gcloud, e estate.Estate, jobs int) (*observer, error) {
	o := &observer{g: g, e: e, jobs: jobs, found: found{}, deployed: map[string]bool{}}
	var on []struct{ Config struct{ Name string } }
	if err := g.read(ctx, &on, "services", "list", "--enabled"); err != nil {
		return nil, err
	}
	for _, a := range on {
		o.add(kindAPI, a.Config.Name, nil)
	}
	var lists []func(context.Context) error
	for api, list := range map[string][]func(context.Context) error{
		"iam.googleapis.com":              {o.accounts},
		"artifactregistry.googleapis.com": {o.repositories},
		"storage.googleapis.com":          {o.buckets},
		"firestore.googleapis.com":        {o.databases},
		"pubsub.googleapis.com":           {o.topics, o.subscriptions},
		"logging.googleapis.com":          {o.metrics},
		"monitoring.googleapis.com":       {o.dashboards, o.alerts},
		"run.googleapis.com":              {o.services},
		"cloudscheduler.googleapis.com":   {o.schedules},
	} {
		if o.has(kindAPI, api) {
			lists = append(lists, list...)
		}
	}
	if err := o.each(ctx, lists); err != nil {
		return nil, err
	}
	return o, o.policies(ctx)
}

// each runs some commands at once; every error is told.
func (o *observer) each(ctx context.Context, all []func(context.Context) error) error {
	var group errgroup.Group
	group.SetLimit(o.jobs)
	errs := make([]error, len(all))
	for i, f := range all {
		group.Go(func() error { errs[i] = f(ctx); return nil })
	}
	_ = group.Wait() // none answers an error: they are in errs
	return errors.Join(errs...)
}

func (o *observer) accounts(ctx context.Context) error {
	var all []struct{ Email, DisplayName string }
	err := o.g.read(ctx, &all, "iam", "service-accounts", "list")
	for _, a := range all {
		o.add(kindAccount, a.Email, settings{"name": a.DisplayName})
	}
	return err
}

func (o *observer) repositories(ctx context.Context) error {
	var all []struct{ Name, Format string }
	err := o.g.read(ctx, &all, "artifacts", "repositories", "list", "--location="+o.e.File.Region)
	for _, r := range all {
		o.add(kindRepository, estate.Short(r.Name), settings{"format": r.Format})
	}
	return err
}

func (o *observer) buckets(ctx context.Context) error {
	var all []struct{ Name string }
	err := o.g.read(ctx, &all, "storage", "buckets", "list")
	for _, b := range all {
		o.add(kindBucket, b.Name, nil)
	}
	return err
}

func (o *observer) databases(ctx context.Context) error {
	var all []struct{ Name, LocationID, Type string }
	if err := o.g.read(ctx, &all, "firestore", "databases", "list"); err != nil {
		return err
	}
	for _, d := range all {
		o.add(kindDatabase, estate.Short(d.Name), settings{"location": d.LocationID, "type": d.Type})
	}
	if !o.has(kindDatabase, o.e.File.Database.Name) {
		return nil
	}
	return o.fields(ctx)
}

// named is the part of a field's name that is ours, COLLECTION.FIELD.
func named(field string) string {
	parts := slices.Collect(splitter(field))
	if len(parts) != 8 {
		return ""
	}
	return parts[5] + "." + parts[7]
}

func (o *observer) fields(ctx context.Context) error {
	var all []struct {
		Name        string
		TTLConfig   *struct{ State string }
		IndexConfig *struct {
			Indexes            []any
			UsesAncestorConfig bool
		}
	}
	database := "--database=" + o.e.File.Database.Name
	if err := o.g.read(ctx, &all, "firestore", "fields", "ttls", "list", database); err != nil {
		return err
	}
	for _, f := range all {
		if f.TTLConfig != nil {
			o.add(kindTTL, named(f.Name), nil) // also while it is being made
		}
	}
	all = nil
	if err := o.g.read(ctx, &all, "firestore", "indexes", "fields", "list", database); err != nil {
		return err
	}
	for _, f := range all {
		if f.IndexConfig != nil && !f.IndexConfig.UsesAncestorConfig && len(f.IndexConfig.Indexes) == 0 {
			o.add(kindIndex, named(f.Name), nil)
		}
	}
	return nil
}

func (o *observer) services(ctx context.Context) error {
	var all []struct{ Metadata struct{ Name string } }
	err := o.g.read(ctx, &all, "run", "services", "list", "--region="+o.e.File.Region)
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range all {
		o.deployed[s.Metadata.Name] = true
	}
	return err
}

func (o *observer) schedules(ctx context.Context) error {
	var all []struct {
		Name, Schedule, TimeZone, AttemptDeadline, State string
		HTTPTarget                                       struct {
			URI, HTTPMethod string
			Body            []byte
			OIDCToken       struct{ ServiceAccountEmail, Audience string }
			OAuthToken      struct{ ServiceAccountEmail string }
		}
	}
	err := o.g.read(ctx, &all, "scheduler", "jobs", "list", "--location="+o.e.File.Region)
	for _, j := range all {
		t := j.HTTPTarget
		o.add(kindJob, estate.Short(j.Name), settings{
			"schedule": j.Schedule, "time zone": j.TimeZone, "URL": t.URI, "method": t.HTTPMethod,
			"account":  t.OIDCToken.ServiceAccountEmail + t.OAuthToken.ServiceAccountEmail,
			"audience": t.OIDCToken.Audience, "body": string(t.Body), "deadline": j.AttemptDeadline, "state": j.State,
		})
	}
	return err
}
