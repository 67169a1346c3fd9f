package rig

import (
	"errors"
	"io"
	"time"

	"onceway.internal/test/witness"
)

const project = "demo-project"

// Policy is one of the two that a rig runs side by side.
type Policy string

// The policies, as ONCEWAY_RELAY_POLICY names them.
const (
	AtMostOnce  Policy = "at-most-once"
	AtLeastOnce Policy = "at-least-once"
)

// Policies lists both.
var policies = [...]Policy{AtMostOnce, AtLeastOnce}

// kind is the middle of the names of a policy's sample events.
func (p Policy) kind() string {
	if p == AtMostOnce {
		return "mostonce"
	}
	return "leastonce"
}

// Setup is what a rig is made of.
type Setup struct {
	// Name begins the names of topics, so that rigs can share an emulator.
	Name string
	// PubSub is the emulator's address.
	PubSub string
	// Worker is the binary that is run, Env what it needs to find its store.
	Worker string
	Env    map[string]string
	// Replicas is how many processes each policy has.
	Replicas int
	// Repeated is the share of events that are published again, half of them at once.
	Repeated float64
	// Service is how the service behind the workers behaves.
	Service Service
	// Log takes what the workers print; it must bear several writers.
	Log io.Writer
}

// Service is how the witness serves the workers. Every function but Takes may be nil.
type Service struct {
	// Takes is how long a request lasts before its effect and from then on.
	Takes func(event string) (before, after time.Duration)
	// Fails says whether the first request of an event is answered with 503.
	Fails func(event string) bool
	// Refuses says whether every request of an event is answered with 400.
	Refuses func(event string) bool
}

func (s Setup) validate() error {
	var faults []error
	if s.Name == "" || s.PubSub == "" || s.Worker == "" || s.Log == nil || s.Service.Takes == nil {
		faults = append(faults, errors.New("name, Pub/Sub, worker, log or what a request takes is missing"))
	}
	if s.Replicas < 1 {
		faults = append(faults, errors.New("there must be replicas"))
	}
	return errors.Join(faults...)
}

func (s Setup) topic(of string) string {
	return "projects/" + project + "/topics/" + s.Name + "-" + of
}

func (s Setup) subscription(of string) string {
	return "projects/" + project + "/subscriptions/" + s.Name + "-" + of
}

// dead is the dead-letter topic's part of its name, and the witness's subscription's.
const dead = "dead-letters"

// environment is a worker's. Times are short, so that what a killed worker left is
// looked at within the run.
func (s Setup) environment(p Policy, service, pubsub, metrics string) map[string]string {
	env := map[string]string{
		"GOOGLE_CLOUD_PROJECT":     project,
		"PUBSUB_EMULATOR_HOST":     pubsub,
		"ONCEWAY_STATE":            "memory",
		"ONCEWAY_PREFIX":           s.Name + "-",
		"ONCEWAY_SUBSCRIPTIONS":    "Relay=" + s.subscription(p.kind()),
		"ONCEWAY_RELAY_URL":        service,
		"ONCEWAY_RELAY_POLICY":     string(p),
		"ONCEWAY_RELAY_PRIVATE":    "true",
		"ONCEWAY_RELAY_TIMEOUT":    "3s",
		"ONCEWAY_HANDLER_TIMEOUT":  "4s",
		"ONCEWAY_LEASE":            "5s",
		"ONCEWAY_MARGIN":           "1s",
		"ONCEWAY_WAIT":             "2s",
		"ONCEWAY_POLL":             "100ms",
		"ONCEWAY_SETTLE_AFTER":     "5s",
		"ONCEWAY_STORE_TIMEOUT":    "2s",
		"ONCEWAY_FINISH_BUDGET":    "3s",
		"ONCEWAY_GRACE":            "3s",
		"ONCEWAY_OUTSTANDING":      "8",
		"ONCEWAY_DEADLETTER_TOPIC": s.topic(dead),
		"ONCEWAY_WORKER_ADDRESS":   metrics,
	}
	for k, v := range s.Env {
		env[k] = v
	}
	return env
}

func (s Setup) event(p Policy, number int) witness.Event {
	return witness.Event{Name: witness.Name(p.kind(), number), Channel: witness.HTTP, Repeatable: p == AtLeastOnce}
}
