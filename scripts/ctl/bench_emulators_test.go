//go:build emulators

package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"

	"onceway.internal/functions/table"
	"onceway.internal/shared/audit"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/setting"
	"onceway.internal/test/servers"
)

const actor = "ops@acme.example"

func TestMain(m *testing.M) { servers.Main(m) }

// bench is an installation of its own on the emulators, as its functions left it.
type bench struct {
	env          map[string]string
	app          *table.App
	claims       *claim.Machine
	subscription string
}

// newBench sets the emulators' variables, which the client libraries read from the
// process alone: tests with a bench don't run side by side.
func newBench(t *testing.T) *bench {
	t.Helper()
	t.Setenv("FIRESTORE_EMULATOR_HOST", servers.Firestore(t))
	t.Setenv("PUBSUB_EMULATOR_HOST", servers.PubSub(t))
	prefix := rand.Text() + "-"
	b := &bench{subscription: "projects/demo-project/subscriptions/" + "s" + prefix + "events", env: map[string]string{
		"ONCEWAY_ACTOR": actor, "GOOGLE_CLOUD_PROJECT": "demo-project", "ONCEWAY_PREFIX": prefix, "ONCEWAY_LEASE": "10ms", "ONCEWAY_SETTLE_AFTER": "0s",
		"ONCEWAY_STORE_TIMEOUT": "30s", "ONCEWAY_FINISH_BUDGET": "60s", // the emulator is slow at first
	}}
	c, err := setting.Load(t.Context(), func(name string) (string, bool) { v, ok := b.env[name]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	if b.app, err = table.NewApp(t.Context(), c, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.app.Close(); err != nil {
			t.Error(err)
		}
	})
	if b.claims, err = b.app.Claims(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.provision(t)
	return b
}

func (b *bench) provision(t *testing.T) {
	t.Helper()
	topic := "projects/demo-project/topics/" + "t" + b.env["ONCEWAY_PREFIX"] + "events"
	c := b.pubsub(t)
	if _, err := c.TopicAdminClient.CreateTopic(t.Context(), &pubsubpb.Topic{Name: topic}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SubscriptionAdminClient.CreateSubscription(t.Context(), &pubsubpb.Subscription{Name: b.subscription, Topic: topic}); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) pubsub(t *testing.T) *pubsub.Client {
	t.Helper()
	c, err := b.app.PubSub(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// with answers with the environment, changed.
func (b *bench) with(name, value string) map[string]string {
	env := maps.Clone(b.env)
	env[name] = value
	return env
}

var data = []byte(`{"restart":"payments"}`)

// take claims an event whose texts are hostile, and stores the letter that its end needs.
func (b *bench) take(t *testing.T, key, reason string) *claim.Hold {
	t.Helper()
	e, err := b.claims.Take(t.Context(), claim.Request{
		Handler: "relay", Key: key, PayloadHash: claim.PayloadHash(data), Subject: hostile, Summary: hostile, Policy: claim.AtMostOnce,
	})
	if err != nil || e.Meeting != claim.Taken {
		t.Fatalf("take: %v, %v", e.Meeting, err)
	}
	id := e.Hold.Stored().ID
	err = b.letters(t).Put(t.Context(), letter.Letter{
		ID: letter.ID(id, 1), Key: key, Handler: "relay", Reason: reason, Attempts: 1, Epoch: 1, Error: hostile, Source: b.subscription,
		Attributes: map[string]string{"colour": hostile}, Data: data, PayloadHash: claim.PayloadHash(data), PublishedAt: time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return e.Hold
}

// parked leaves a claim in INDETERMINATE and answers with its ID.
func (b *bench) parked(t *testing.T, key string) string {
	t.Helper()
	h := b.take(t, key, letter.IndeterminateBy)
	if err := h.Park(t.Context(), letter.IndeterminateBy, context.DeadlineExceeded); err != nil {
		t.Fatal(err)
	}
	return h.Stored().ID
}

func (b *bench) letters(t *testing.T) letter.Store {
	t.Helper()
	s, err := b.app.Letters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (b *bench) state(t *testing.T, id string) claim.State {
	t.Helper()
	s, err := b.claims.Look(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return s.State
}

// audited answers with what the audit log holds as "action outcome", sorted: an act's
// two entries are of one moment.
func (b *bench) audited(t *testing.T) []string {
	t.Helper()
	log, err := b.app.Audit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	entries, _, err := log.List(t.Context(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, e := range entries {
		if e.Actor != actor || e.Via != audit.Ctl || e.Target == "" || e.Reason == "" {
			t.Errorf("entry without who, how, what or why: %+v", e)
		}
		texts = append(texts, e.Action+" "+string(e.Outcome))
	}
	slices.Sort(texts)
	return texts
}

// published pulls what was published again.
func (b *bench) published(t *testing.T) []*pubsubpb.PubsubMessage {
	t.Helper()
	r, err := b.pubsub(t).SubscriptionAdminClient.Pull(t.Context(), &pubsubpb.PullRequest{Subscription: b.subscription, MaxMessages: 10})
	if err != nil {
		t.Fatal(err)
	}
	var got []*pubsubpb.PubsubMessage
	for _, m := range r.ReceivedMessages {
		got = append(got, m.Message)
	}
	return got
}
