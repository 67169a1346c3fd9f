package main

import (
	"context"
	"iter"
	"strconv"
	"strings"

	"onceway.internal/shared/estate"
)

func splitter(name string) iter.Seq[string] { return strings.SplitSeq(name, "/") }

func (o *observer) topics(ctx context.Context) error {
	for _, owner := range o.owners() {
		var all []struct {
			Name   string
			Labels map[string]string
		}
		if err := o.in(owner).read(ctx, &all, "pubsub", "topics", "list"); err != nil {
			if owner != o.e.Project.ID {
				continue // not ours to see: it shows as not found
			}
			return err
		}
		for _, t := range all {
			o.add(kindTopic, t.Name, labelled(settings{}, t.Labels))
		}
	}
	return nil
}

// owners are the projects that queues belong to, ours first.
func (o *observer) owners() []string {
	owners := []string{o.e.Project.ID}
	seen := map[string]bool{o.e.Project.ID: true}
	for _, t := range o.e.Topics {
		if p := estate.Owner(t.Name); !seen[p] {
			seen[p] = true
			owners = append(owners, p)
		}
	}
	return owners
}

func (o *observer) in(project string) *gcloud { return &gcloud{project: project} }

type subscription struct {
	Name, Topic               string
	AckDeadlineSeconds        int
	MessageRetentionDuration  string
	ExpirationPolicy          *struct{ TTL string }
	EnableExactlyOnceDelivery bool
	Labels                    map[string]string
	PushConfig                struct {
		PushEndpoint string
		OIDCToken    *struct{ ServiceAccountEmail, Audience string }
	}
	DeadLetterPolicy *struct {
		DeadLetterTopic     string
		MaxDeliveryAttempts int
	}
	RetryPolicy *struct{ MinimumBackoff, MaximumBackoff string }
}

func (o *observer) subscriptions(ctx context.Context) error {
	for _, owner := range o.owners() {
		var all []subscription
		if err := o.in(owner).read(ctx, &all, "pubsub", "subscriptions", "list"); err != nil {
			if owner != o.e.Project.ID {
				continue
			}
			return err
		}
		for _, s := range all {
			o.add(kindSubscription, s.Name, s.settings())
		}
	}
	return nil
}

func (s subscription) settings() settings {
	set := labelled(settings{
		"topic": s.Topic, "ack deadline": strconv.Itoa(s.AckDeadlineSeconds) + "s", "retention": s.MessageRetentionDuration,
		"expires": "never", "endpoint": s.PushConfig.PushEndpoint, "exactly once": strconv.FormatBool(s.EnableExactlyOnceDelivery),
	}, s.Labels)
	switch {
	case s.ExpirationPolicy == nil:
		set["expires"] = "after 31 days"
	case s.ExpirationPolicy.TTL != "":
		set["expires"] = "after " + s.ExpirationPolicy.TTL
	}
	if t := s.PushConfig.OIDCToken; t != nil {
		set["token"] = t.ServiceAccountEmail + " for " + t.Audience
	}
	if d := s.DeadLetterPolicy; d != nil {
		set["dead-letter topic"], set["delivery attempts"] = d.DeadLetterTopic, strconv.Itoa(d.MaxDeliveryAttempts)
	}
	if r := s.RetryPolicy; r != nil {
		set["retry"] = r.MinimumBackoff + " to " + r.MaximumBackoff
	}
	return set
}
