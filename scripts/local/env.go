package main

import (
	"maps"
	"path/filepath"

	"onceway.internal/shared/setting"
)

// addresses are where the functions find what they work with.
type addresses struct {
	dir        string // of the files
	pubsub     string
	firestore  string // empty: memory
	monitoring string
	witness    string // base URL
}

// environment is the product's configuration, as it would be set for a deployment.
func (c config) environment(a addresses) map[string]string {
	store := setting.Memory
	if a.firestore != "" {
		store = setting.Firestore
	}
	t := c.times
	env := map[string]string{
		"GOOGLE_CLOUD_PROJECT":        c.project,
		"PUBSUB_EMULATOR_HOST":        a.pubsub,
		"ONCEWAY_LOCAL":               "true",
		"ONCEWAY_HOST":                "127.0.0.1",
		"ONCEWAY_CLAIMS":              store,
		"ONCEWAY_STATE":               store,
		"ONCEWAY_GROUPS":              filepath.Join(a.dir, "groups.yaml"),
		"ONCEWAY_CHAT_POLICY":         filepath.Join(a.dir, "policy.yaml"),
		"ONCEWAY_CHAT_TOOLS":          filepath.Join(a.dir, "tools.yaml"),
		"ONCEWAY_CHAT_API":            a.witness,
		"ONCEWAY_CONSOLE_IDENTITY":    operator,
		"ONCEWAY_RELAY_URL":           a.witness + "/relay",
		"ONCEWAY_RELAY_PRIVATE":       "true",
		"ONCEWAY_RELAY_TIMEOUT":       (t.handler - t.handler/4).String(),
		"ONCEWAY_MONITORING_ENDPOINT": a.monitoring,
		"ONCEWAY_DEADLETTER_TOPIC":    deadTopic,
		"ONCEWAY_LEASE":               t.lease.String(),
		"ONCEWAY_HANDLER_TIMEOUT":     t.handler.String(),
		"ONCEWAY_MARGIN":              t.margin.String(),
		"ONCEWAY_ACK_DEADLINE":        t.ackDeadline.String(),
		"ONCEWAY_WAIT":                t.wait.String(),
		"ONCEWAY_POLL":                t.poll.String(),
		"ONCEWAY_SETTLE_AFTER":        t.settleAfter.String(),
		"ONCEWAY_STORE_TIMEOUT":       t.store.String(),
		"ONCEWAY_FINISH_BUDGET":       t.finish.String(),
		"ONCEWAY_GRACE":               t.grace.String(),
		"ONCEWAY_SCORE_PERIOD":        t.score.String(),
		"ONCEWAY_CONCURRENCY":         "32",
	}
	if a.firestore != "" {
		env["FIRESTORE_EMULATOR_HOST"] = a.firestore
	}
	return env
}

// workerEnvironment is one worker's, on top of the rest.
func (c config) workerEnvironment(env map[string]string, name, witness, metrics string) map[string]string {
	own := maps.Clone(env)
	own["ONCEWAY_SUBSCRIPTIONS"] = "Relay=" + jobSub
	own["ONCEWAY_RELAY_URL"] = witness + "/" + name
	own["ONCEWAY_WORKER_ADDRESS"] = metrics
	return own
}

// lookup reads env as os.LookupEnv reads the process's.
func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}
}
