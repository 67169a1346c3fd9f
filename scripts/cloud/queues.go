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
	r.flags = w.subscriptionFlags(s)
	create := append([]string{"pubsub", "subscriptions", "create", estate.Short(s.Name), "--topic=" + s.Topic}, allFlags(r.flags)...)
	r.create = w.command(labels(create, "--labels=", s.Labels)...)
	r.update = w.command("pubsub", "subscriptions", "update", estate.Short(s.Name))
	for name := range s.Labels {
		r.flags["label "+name] = []string{"--update-labels=" + pairs(s.Labels)}
	}
	w.add(r)
}

// subscriptionFlags are gcloud's flags, by the setting that they make.
func (w *list) subscriptionFlags(s estate.Subscription) map[string][]string {
	flags := map[string][]string{
		"ack deadline": {"--ack-deadline=" + strconv.Itoa(int(s.AckDeadline.Seconds()))},
		"retention":    {"--message-retention-duration=" + seconds(s.Retention)},
		"expires":      {"--expiration-period=never"},
	}
	if s.Push != "" {
		// Given together, always: an update of the endpoint alone takes the token away.
		flags["endpoint"] = []string{"--push-endpoint=" + s.Endpoint, "--push-auth-service-account=" + w.pusher(), "--push-auth-token-audience=" + w.audience(s)}
		flags["token"] = flags["endpoint"]
	}
	if s.ExactlyOnce {
		flags["exactly once"] = []string{"--enable-exactly-once-delivery"}
	}
	if s.DeadLetter != "" {
		flags["dead-letter topic"] = []string{"--dead-letter-topic=" + s.DeadLetter, "--max-delivery-attempts=" + strconv.Itoa(estate.DeliveryAttempts)}
		flags["delivery attempts"] = flags["dead-letter topic"]
	}
	if s.MinRetry > 0 {
		flags["retry"] = []string{"--min-retry-delay=" + seconds(s.MinRetry), "--max-retry-delay=" + seconds(s.MaxRetry)}
	}
	return flags
}

// allFlags are the flags of all settings, each once.
func allFlags(flags map[string][]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		for _, f := range flags[name] {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
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
