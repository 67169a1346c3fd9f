package estate

import (
	"slices"
	"strings"
)

// LettersSubscription is pushed to the function Letters: the subscription of the
// dead-letter topic.
const LettersSubscription = "onceway-letters"

// probe is what ctl latency measures with.
const probe = "onceway-probe"

func (e *Estate) topics() {
	add := func(name string, labels map[string]string) {
		if slices.ContainsFunc(e.Topics, func(t Topic) bool { return t.Name == name }) {
			return
		}
		e.Topics = append(e.Topics, Topic{Name: name, Labels: labels, Foreign: e.foreign(name)})
	}
	add(e.DeadLetters(), nil)
	for _, s := range e.Services {
		if s.Topic != "" {
			add(e.topic(s.Topic), nil)
		}
	}
	for _, p := range e.File.Workers.Subscriptions {
		add(e.topic(p.Topic), nil)
	}
	if e.Groups.Overflow != "" {
		add(e.Groups.Overflow, nil)
	}
	for _, g := range e.Groups.Groups {
		for _, q := range g.Queues {
			add(q.TopicName(), queueLabels(g.ID, q.Name))
		}
	}
	add(e.topic(probe), nil)
}

func (e *Estate) subscriptions() {
	for _, s := range e.Services {
		if s.Topic != "" {
			e.Subscriptions = append(e.Subscriptions, e.push(s))
		}
	}
	for _, p := range e.File.Workers.Subscriptions {
		s := e.pull(e.subscription(p.Name), e.topic(p.Topic), nil)
		s.DeadLetter, s.MinRetry, s.MaxRetry = e.DeadLetters(), MinRetry, MaxRetry
		e.Subscriptions = append(e.Subscriptions, s)
	}
	if o := e.Groups.Overflow; o != "" {
		name := strings.Replace(o, "/topics/", "/subscriptions/", 1)
		e.Subscriptions = append(e.Subscriptions, e.pull(name, o, nil))
	}
	for _, g := range e.Groups.Groups {
		for _, q := range g.Queues {
			e.Subscriptions = append(e.Subscriptions, e.pull(q.SubscriptionName(), q.TopicName(), queueLabels(g.ID, q.Name)))
		}
	}
	e.Subscriptions = append(e.Subscriptions, e.pull(e.subscription(probe), e.topic(probe), nil))
}

func (e *Estate) push(s Service) Subscription {
	sub := Subscription{
		Name: e.subscription(s.Topic + "-push"), Topic: e.topic(s.Topic), Push: s.Name, Endpoint: s.URL + "/",
		AckDeadline: e.Config.Once.AckDeadline, Retention: e.Config.Once.Retention,
		DeadLetter: e.DeadLetters(), MinRetry: MinRetry, MaxRetry: MaxRetry,
	}
	if sub.Topic == e.DeadLetters() {
		// A dead letter that can't be stored has nowhere else to go: it waits.
		sub.Name, sub.DeadLetter = e.subscription(LettersSubscription), ""
		sub.Retention, sub.DeadLetterHolder = e.Config.Letters.Retention, true
	}
	return sub
}

// pull is a subscription that is pulled. No subscription ever expires: one without
// readers for a month would be gone, and messages with it.
func (e *Estate) pull(name, topic string, labels map[string]string) Subscription {
	return Subscription{
		Name: name, Topic: topic, Labels: labels, Foreign: e.foreign(name), ExactlyOnce: true,
		AckDeadline: e.Config.Once.AckDeadline, Retention: e.Config.Once.Retention,
	}
}

func queueLabels(group, queue string) map[string]string {
	return map[string]string{"onceway-group": label(group), "onceway-queue": label(queue)}
}

// label is s as a label's value may be.
func label(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || (r >= '0' && r <= '9') || (r >= 'a' && r <= 'z') {
			return r
		}
		return '-'
	}, strings.ToLower(s))
	return s[:min(len(s), 63)]
}

func (e *Estate) topic(name string) string        { return e.Config.Full("topics", name) }
func (e *Estate) subscription(name string) string { return e.Config.Full("subscriptions", name) }

func (e *Estate) foreign(name string) bool {
	return !strings.HasPrefix(name, "projects/"+e.Project.ID+"/")
}

// Short is the last part of a full name.
func Short(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// Owner is the project of a full name.
func Owner(name string) string {
	rest, _ := strings.CutPrefix(name, "projects/")
	project, _, _ := strings.Cut(rest, "/")
	return project
}
