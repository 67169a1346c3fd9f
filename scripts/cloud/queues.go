package main

import (
	"maps"
	"slices"
	"strconv"

	"onceway.internal/shared/estate"
)

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

func (w *list) queues() {
	for _, t := range w.e.Topics {
		r := resource{kind: kindTopic, name: t.Name, want: labelled(settings{}, t.Labels), foreign: t.Foreign}
		r.create = w.command(labels([]string{"pubsub", "topics", "create", estate.Short(t.Name)}, "--labels=", t.Labels)...)
		r.update = w.command(labels([]string{"pubsub", "topics", "update", estate.Short(t.Name)}, "--update-labels=", t.Labels)...)
		if t.Foreign {
			r.want = nil // that it exists is all we may ask for
		}
		w.add(r)
	}
	for _, s := range w.e.Subscriptions {
		w.subscription(s)
	}
}

func labels(args []string, flag string, l map[string]string) []string {
	if len(l) > 0 {
		args = append(args, flag+pairs(l))
	}
	return args
}

func labelled(s settings, l map[string]string) settings {
	for k, v := range l {
		s["label "+k] = v
	}
	return s
}

func (w *list) subscription(s estate.Subscription) {
	r := resource{kind: kindSubscription, name: s.Name, want: labelled(w.subscriptionSettings(s), s.Labels), after: s.Push, foreign: s.Foreign}
	if s.Foreign {
		r.want = settings{"topic": s.Topic}
	}
	set := []string{
		"--ack-deadline=" + strconv.Itoa(int(s.AckDeadline.Seconds())), "--message-retention-duration=" + seconds(s.Retention),
		"--expiration-period=never",
	}
	if s.Push != "" {
		// Given together, always: an update of the endpoint alone takes the token away.
		set = append(set, "--push-endpoint="+s.Endpoint, "--push-auth-service-account="+w.pusher(), "--push-auth-token-audience="+w.audience(s))
	}
	if s.ExactlyOnce {
		set = append(set, "--enable-exactly-once-delivery")
	}
	if s.DeadLetter != "" {
		set = append(set, "--dead-letter-topic="+s.DeadLetter, "--max-delivery-attempts="+strconv.Itoa(estate.DeliveryAttempts))
	}
	if s.MinRetry > 0 {
		set = append(set, "--min-retry-delay="+seconds(s.MinRetry), "--max-retry-delay="+seconds(s.MaxRetry))
	}
	create := append([]string{"pubsub", "subscriptions", "create", estate.Short(s.Name), "--topic=" + s.Topic}, set...)
	update := append([]string{"pubsub", "subscriptions", "update", estate.Short(s.Name)}, set...)
	r.create = w.command(labels(create, "--labels=", s.Labels)...)
	r.update = w.command(labels(update, "--update-labels=", s.Labels)...)
	w.add(r)
}

func (w *list) subscriptionSettings(s estate.Subscription) settings {
	set := settings{
		"topic": s.Topic, "ack deadline": seconds(s.AckDeadline), "retention": seconds(s.Retention), "expires": "never",
		"endpoint": s.Endpoint, "exactly once": strconv.FormatBool(s.ExactlyOnce), "dead-letter topic": s.DeadLetter,
	}
	if s.DeadLetter != "" {
		set["delivery attempts"] = strconv.Itoa(estate.DeliveryAttempts)
	}
	if s.MinRetry > 0 {
		set["retry"] = seconds(s.MinRetry) + " to " + seconds(s.MaxRetry)
	}
	if s.Push != "" {
		set["token"] = w.pusher() + " for " + w.audience(s)
	}
	return set
}

func (w *list) pusher() string { return w.e.Pusher() }

func (w *list) audience(s estate.Subscription) string {
	service, _ := w.e.Service(s.Push)
	return service.URL
}
