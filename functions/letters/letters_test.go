package letters_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"onceway.internal/functions/letters"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
)

func receiver(t *testing.T, store letter.Store) (*letters.Receiver, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	r, err := letters.New(store, slog.New(slog.NewTextHandler(&log, nil)), time.Second, 1)
	if err != nil {
		t.Fatal(err)
	}
	return r, &log
}

// published is l as the dead-letter topic delivers it.
func published(t *testing.T, l letter.Letter) *envelope.Message {
	t.Helper()
	m, err := letter.Message(l)
	if err != nil {
		t.Fatal(err)
	}
	got, err := envelope.FromPulled(envelope.Pulled{ID: "77", Data: m.Data, Attributes: m.Attributes, OrderingKey: m.OrderingKey})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestLetterIsStoredWholeAndOnceHoweverOftenItComes(t *testing.T) {
	t.Parallel()
	many := make(map[string]string)
	for i := range 95 {
		many["a"+strings.Repeat("x", i)] = "v"
	}
	for name, attrs := range map[string]map[string]string{"few attributes": {"tenant": "acme"}, "more than fit beside ours": many} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := memclaim.NewLetters(10, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			want := letter.Letter{
				ID: letter.ID(claim.ID("relay", "k"), 3), Key: "k", Handler: "relay", Reason: letter.Poison, Attempts: 2, Epoch: 3,
				Error: "can't read", Source: "projects/demo-project/subscriptions/relay-push", MessageID: "77",
				Attributes: attrs, OrderingKey: "o", Data: []byte("data"), PayloadHash: claim.PayloadHash([]byte("data")),
			}
			r, _ := receiver(t, store)
			for range 3 {
				if rep := r.Receive(t.Context(), published(t, want)); rep.Outcome != once.Done {
					t.Fatalf("outcome = %s (%v)", rep.Outcome, rep.Err)
				}
			}
			got, err := store.Get(t.Context(), want.ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(letter.Letter{}, "StoredAt")); diff != "" {
				t.Error(diff)
			}
			if all, _, err := store.List(t.Context(), "", 10); err != nil || len(all) != 1 {
				t.Errorf("stored letters = %d (%v), want 1", len(all), err)
			}
		})
	}
}

func TestLetterThatPubSubForwardedIsKeptUnderItsOwnKeyIfItHasOne(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		attrs map[string]string
		key   string
	}{
		"none":             {nil, ""},
		"the publisher's":  {map[string]string{"onceway-key": "acme-1"}, "acme-1"},
		"the CloudEvent's": {map[string]string{"ce-specversion": "1.0", "ce-id": "7", "ce-source": "//acme/shop", "ce-type": "sold"}, "//acme/shop 7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := memclaim.NewLetters(10, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			attrs := map[string]string{
				"CloudPubSubDeadLetterSourceSubscription": "chat-push", "CloudPubSubDeadLetterSourceSubscriptionProject": "demo-project",
				"CloudPubSubDeadLetterSourceDeliveryCount": "100",
			}
			for k, v := range tc.attrs {
				attrs[k] = v
			}
			m, err := envelope.FromPulled(envelope.Pulled{ID: "99", Data: []byte("{}"), Attributes: attrs, Subscription: "projects/demo-project/subscriptions/letters"})
			if err != nil {
				t.Fatal(err)
			}
			r, _ := receiver(t, store)
			rep := r.Receive(t.Context(), m)
			got, err := store.Get(t.Context(), rep.ClaimID)
			if err != nil {
				t.Fatal(err)
			}
			if got.Key != tc.key || got.Reason != letter.Forwarded || got.Attempts != 100 || got.Source != "projects/demo-project/subscriptions/chat-push" {
				t.Errorf("letter = %+v", got)
			}
		})
	}
}

type broken struct{ letter.Store }

func (broken) Put(context.Context, letter.Letter) error { return errors.New("store is down") }

func TestLetterThatCannotBeStoredStaysOnTheTopic(t *testing.T) {
	t.Parallel()
	r, log := receiver(t, broken{})
	rep := r.Receive(t.Context(), published(t, letter.Letter{ID: "x-1", Key: "k", Handler: "relay", Reason: letter.Poison, Data: []byte("s3cret")}))
	if rep.Outcome.Ack() || rep.Outcome != once.StoreDown {
		t.Errorf("outcome = %s, want store-down, not acknowledged", rep.Outcome)
	}
	if strings.Contains(log.String(), "s3cret") {
		t.Error("the log holds the letter's data")
	}
}
