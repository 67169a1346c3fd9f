package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"onceway.internal/shared/estate"
)

func resources(ctx context.Context, x *exam) ([]Finding, error) {
	all, err := x.subscriptions(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, s := range x.Estate.Subscriptions {
		if _, ok := all[s.Name]; !ok && !s.Foreign {
			out = append(out, Finding{Status: Error, Subject: estate.Short(s.Name), What: "the subscription is missing: what is published meanwhile is lost", Fix: provision})
		}
	}
	services, err := x.deployed(ctx)
	if err != nil {
		return out, err
	}
	for _, s := range x.Estate.Services {
		if _, ok := services[s.Name]; !ok {
			out = append(out, Finding{Status: Error, Subject: s.Name, What: "the service is not deployed", Fix: "scripts/deploy"})
		}
	}
	return out, nil
}

// eventful runs a rule over every subscription that brings events.
func eventful(ctx context.Context, x *exam, rule func(estate.Subscription, subscription) (Finding, bool)) ([]Finding, error) {
	wanted, all, err := x.events(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if f, bad := rule(wanted[name], all[name]); bad {
			f.Subject = estate.Short(name)
			out = append(out, f)
		}
	}
	return out, nil
}

func (x *exam) onSubscription(name, flags string) string {
	return x.gcloud("pubsub subscriptions update %s %s", estate.Short(name), flags)
}

func ackDeadline(ctx context.Context, x *exam) ([]Finding, error) {
	return eventful(ctx, x, func(want estate.Subscription, s subscription) (Finding, bool) {
		o := x.times(ctx, want.Push)
		need := o.Lease + o.HandlerTimeout + o.Margin
		return Finding{
			Status: Error, What: fmt.Sprintf("ack deadline %v is shorter than lease %v + handler time-out %v + margin %v: events come again while they are handled", s.ackDeadline(), o.Lease, o.HandlerTimeout, o.Margin),
			Fix: x.onSubscription(s.Name, fmt.Sprintf("--ack-deadline=%d", int(min(need, 600*time.Second).Seconds()))),
		}, s.ackDeadline() < need
	})
}

func retention(ctx context.Context, x *exam) ([]Finding, error) {
	return eventful(ctx, x, func(want estate.Subscription, s subscription) (Finding, bool) {
		c := x.Estate.Config
		variable, bound := "ONCEWAY_RETENTION", x.times(ctx, want.Push).Retention
		if want.DeadLetterHolder {
			variable, bound = "ONCEWAY_DEADLETTER_RETENTION", c.Letters.Retention
		}
		got := s.MessageRetentionDuration.value()
		return Finding{
			Status: Error, What: fmt.Sprintf("messages are kept %v, longer than %s %v says: they can outlive their claims and act again", got, variable, bound),
			Fix: x.onSubscription(s.Name, "--message-retention-duration="+seconds(bound)),
		}, got > bound
	})
}

func deadLetterPolicy(ctx context.Context, x *exam) ([]Finding, error) {
	return eventful(ctx, x, func(want estate.Subscription, s subscription) (Finding, bool) {
		f := Finding{Status: Error, Fix: x.onSubscription(s.Name, fmt.Sprintf("--dead-letter-topic=%s --max-delivery-attempts=%d", x.Estate.DeadLetters(), estate.DeliveryAttempts))}
		switch p := s.DeadLetterPolicy; {
		case want.DeadLetterHolder:
			return f, false
		case p == nil:
			f.What = "there is no dead-letter policy: what our own attempts don't catch is delivered until it is too old"
		case p.DeadLetterTopic != x.Estate.DeadLetters():
			f.What = fmt.Sprintf("dead letters go to %s, where nobody stores them", p.DeadLetterTopic)
		case p.MaxDeliveryAttempts < estate.DeliveryAttempts:
			f.Status, f.What = Warning, fmt.Sprintf("Pub/Sub gives up after %d deliveries: an outage of minutes dead-letters events", p.MaxDeliveryAttempts)
		default:
			return f, false
		}
		return f, true
	})
}

func retryPolicy(ctx context.Context, x *exam) ([]Finding, error) {
	return eventful(ctx, x, func(_ estate.Subscription, s subscription) (Finding, bool) {
		f := Finding{Status: Error, Fix: x.onSubscription(s.Name, fmt.Sprintf("--min-retry-delay=%s --max-retry-delay=%s", seconds(estate.MinRetry), seconds(estate.MaxRetry)))}
		switch p := s.RetryPolicy; {
		case p == nil:
			f.What = "there is no retry policy: a failing event is delivered again at once and spends its attempts in seconds"
		case p.MinimumBackoff.value() < estate.MinRetry:
			f.Status, f.What = Warning, fmt.Sprintf("redeliveries pause %v at least, less than %v", p.MinimumBackoff.value(), estate.MinRetry)
		case p.MaximumBackoff.value() < estate.MaxRetry:
			f.Status, f.What = Warning, fmt.Sprintf("redeliveries pause %v at most: an outage spends attempts faster than with %v", p.MaximumBackoff.value(), estate.MaxRetry)
		default:
			return f, false
		}
		return f, true
	})
}

func deadLetterSubscription(ctx context.Context, x *exam) ([]Finding, error) {
	all, err := x.subscriptions(ctx)
	if err != nil {
		return nil, err
	}
	topic, holders := x.Estate.DeadLetters(), 0
	var out []Finding
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		if s.Topic != topic {
			continue
		}
		holders++
		f := Finding{Status: Error, Subject: estate.Short(name)}
		if s.ExpirationPolicy == nil || s.ExpirationPolicy.TTL != "" {
			f.What, f.Fix = "it expires when nothing reads it, and letters with it", x.onSubscription(name, "--expiration-period=never")
			out = append(out, f)
		}
		if want := x.Estate.Config.Letters.Retention; s.MessageRetentionDuration.value() < want {
			f.What = fmt.Sprintf("letters wait %v, less than %v", s.MessageRetentionDuration.value(), want)
			f.Fix = x.onSubscription(name, "--message-retention-duration="+seconds(want))
			out = append(out, f)
		}
	}
	if holders == 0 {
		out = append(out, Finding{Status: Error, Subject: estate.Short(topic), What: "the dead-letter topic has no subscription: letters are lost", Fix: provision})
	}
	return out, nil
}

func pushAndPull(ctx context.Context, x *exam) ([]Finding, error) {
	wanted, all, err := x.events(ctx)
	if err != nil {
		return nil, err
	}
	ours := map[string]bool{}
	for _, s := range wanted {
		ours[s.Topic] = true
	}
	push, pull := map[string][]string{}, map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s, into := all[name], pull
		if s.PushConfig.PushEndpoint != "" {
			into = push
		}
		into[s.Topic] = append(into[s.Topic], estate.Short(name))
	}
	var out []Finding
	for _, topic := range slices.Sorted(maps.Keys(ours)) {
		if topic != x.Estate.DeadLetters() && len(push[topic]) > 0 && len(pull[topic]) > 0 {
			out = append(out, Finding{
				Status: Warning, Subject: estate.Short(topic),
				What: fmt.Sprintf("%s push and %s pull the same events: each is delivered both ways, acts once, and is a duplicate the other time", strings.Join(push[topic], ", "), strings.Join(pull[topic], ", ")),
				Fix:  x.gcloud("pubsub subscriptions delete %s", pull[topic][0]),
			})
		}
	}
	return out, nil
}
