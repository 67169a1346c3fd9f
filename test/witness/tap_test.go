package witness

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/test/local"
	"onceway.internal/test/wait"
)

func TestPushTapPassesOnCountsAndRepeats(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		way                       Repeat
		status, total, duplicates int
	}{
		"as it is":                         {NoRepeat, 204, 1, 0},
		"beside":                           {Beside, 204, 2, 1},
		"after":                            {After, 204, 2, 1},
		"after waits for the acknowledged": {After, 503, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := make(chan string, 4)
			function := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got <- r.Header.Get("Content-Type")
				w.Header().Set("Onceway-Outcome", "done")
				w.WriteHeader(tt.status)
			}))
			t.Cleanup(function.Close)
			counts := NewDeliveries(nil)
			tap, err := NewPushTap(func() string { return function.URL }, counts, func(string) Repeat { return tt.way })
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(tap.Close)
			w := httptest.NewRecorder()
			r := request(t, "/", "", `{"message":{"data":"`+base64.StdEncoding.EncodeToString([]byte(Name("relay", 1)))+`"},"subscription":"s"}`)
			r.Header.Set("Content-Type", "application/json")
			tap.ServeHTTP(w, r)
			if w.Code != tt.status || w.Header().Get("Onceway-Outcome") != "done" {
				t.Errorf("answered %d %v", w.Code, w.Header())
			}
			for range tt.total {
				if c := <-got; c != "application/json" {
					t.Errorf("Content-Type %q reached the function", c)
				}
			}
			tap.Close()
			if total, duplicates := counts.Counts(); total != tt.total || duplicates != tt.duplicates || len(got) != 0 {
				t.Errorf("%d deliveries, %d duplicates, %d more; want %d, %d, 0", total, duplicates, len(got), tt.total, tt.duplicates)
			}
		})
	}
}

func TestPullTapCountsAndCuts(t *testing.T) {
	t.Parallel()
	s, err := local.Start(local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	counts := NewDeliveries(nil)
	flow := NewFlow(time.Now)
	tap, err := NewPullTap(s.Addr(), counts, flow)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tap.Cut)
	c := subscribed(t, tap)
	for range 2 { // published twice: two message IDs, one event
		send(t, c, "events", nil, Name("relay", 1))
	}
	if left, since, acked := flow.Backlog(topic("events"), all("events")); left != 2 || acked != 0 || since.IsZero() {
		t.Errorf("backlog %d since %v, %d acknowledged; want 2", left, since, acked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- c.Subscriber(all("events")).Receive(ctx, func(_ context.Context, m *pubsub.Message) { m.Ack() })
	}()
	wait.Until(t, 10*time.Second, "both came through", func() bool {
		total, duplicates := counts.Counts()
		stats, _ := s.Stats(all("events"))
		return total == 2 && duplicates == 1 && stats.Undelivered == 0
	})
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if left, since, acked := flow.Backlog(topic("events"), all("events")); left != 0 || acked != 2 || !since.IsZero() {
		t.Errorf("backlog %d since %v, %d acknowledged; want none", left, since, acked)
	}
	tap.Cut()
	if _, err := c.TopicAdminClient.GetTopic(shortly(t), &pubsubpb.GetTopicRequest{Topic: topic("events")}); err == nil {
		t.Error("a cut tap still passes calls on")
	}
}

// TestHastyTapDeliversAgainWhatADeadClientHeld, though the ack deadline is ten minutes.
func TestHastyTapDeliversAgainWhatADeadClientHeld(t *testing.T) {
	t.Parallel()
	s, err := local.Start(local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	tap, err := NewPullTap(s.Addr(), NewDeliveries(nil), NewFlow(time.Now))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tap.Cut)
	tap.Hasten()
	c := subscribed(t, tap)
	send(t, c, "events", nil, "acknowledged")
	send(t, c, "events", nil, "held")
	for _, want := range []int{2, 1} { // of the first client, and of the one after it
		// One that comes before the tap has seen the other go has a feed of its own, and
		// what the other held comes once that one's feed is given up.
		ctx, die := context.WithTimeout(t.Context(), 2*adoptWithin)
		stream, err := c.SubscriptionAdminClient.StreamingPull(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.Send(&pubsubpb.StreamingPullRequest{Subscription: all("events"), StreamAckDeadlineSeconds: 600}); err != nil {
			t.Fatal(err)
		}
		for got := 0; got < want; {
			r, err := stream.Recv()
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range r.ReceivedMessages {
				got++
				if string(m.Message.Data) == "held" {
					continue
				}
				if want == 1 {
					t.Error("what was acknowledged came again")
				}
				if err := c.SubscriptionAdminClient.Acknowledge(ctx, &pubsubpb.AcknowledgeRequest{Subscription: all("events"), AckIds: []string{m.AckId}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		die()
	}
}

// subscribed returns a client behind the tap, and makes it a topic with a subscription.
func subscribed(t *testing.T, tap *PullTap) *pubsub.Client {
	t.Helper()
	c, err := pubsub.NewClient(t.Context(), "demo-project", option.WithEndpoint(tap.Addr()), option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := c.TopicAdminClient.CreateTopic(t.Context(), &pubsubpb.Topic{Name: topic("events")}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SubscriptionAdminClient.CreateSubscription(t.Context(), &pubsubpb.Subscription{Name: all("events"), Topic: topic("events")}); err != nil {
		t.Fatal(err)
	}
	return c
}

func shortly(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}
