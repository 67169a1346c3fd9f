package witness

import (
	"context"
	"fmt"
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

// broker starts a Pub/Sub with the topics given, each with a subscription "<topic>-all".
func broker(t *testing.T, config local.Config, topics ...string) *pubsub.Client {
	t.Helper()
	s, err := local.Start(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	c, err := pubsub.NewClient(t.Context(), "demo-project", option.WithEndpoint(s.Addr()), option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	for _, name := range topics {
		if _, err := c.TopicAdminClient.CreateTopic(t.Context(), &pubsubpb.Topic{Name: topic(name)}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.SubscriptionAdminClient.CreateSubscription(t.Context(), &pubsubpb.Subscription{Name: all(name), Topic: topic(name)}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func topic(name string) string { return "projects/demo-project/topics/" + name }
func all(name string) string   { return "projects/demo-project/subscriptions/" + name + "-all" }

func send(t *testing.T, c *pubsub.Client, to string, attributes map[string]string, data string) {
	t.Helper()
	p := c.Publisher(topic(to))
	defer p.Stop()
	if _, err := p.Publish(t.Context(), &pubsub.Message{Data: []byte(data), Attributes: attributes}).Get(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestPipelineCountsEachMessageOnceThoughPubSubRepeatsIt(t *testing.T) {
	t.Parallel()
	c := broker(t, local.Config{Redeliver: func(string) float64 { return 1 }}, "first", "second")
	l := NewLedger(time.Now)
	campaign := Name("campaign", 1)
	l.Publishing(Event{Name: campaign, Channel: Queue, Repeatable: true, Units: 3})
	p, err := NewPipeline("dg01", c, l, []Stage{{topic("first"), all("first"), 500}, {topic("second"), all("second"), 500}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	for i := range 3 {
		send(t, c, "first", map[string]string{"onceway-key": fmt.Sprintf("%s/%d", campaign, i)}, "x")
	}
	// Every delivery goes on to the second stage, so that the repeats came too when twelve deliveries went through.
	wait.Until(t, 10*time.Second, "all went through", func() bool { return p.Through() >= 12 })
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := l.Tally(); got.Repeated != 0 || got.Acted != 1 || got.ByGroup["dg01"] != 1 || !got.OK() {
		t.Errorf("tally %+v", got)
	}
	send(t, c, "first", map[string]string{"onceway-key": campaign + "/0"}, "published again")
	ctx, cancel = context.WithCancel(t.Context())
	go func() { ended <- p.Run(ctx) }()
	wait.Until(t, 10*time.Second, "the second publishing shows", func() bool { return l.Tally().Repeated == 1 })
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

func TestSlowStageBuildsABacklog(t *testing.T) {
	t.Parallel()
	p := &pace{gap: 50 * time.Millisecond}
	begun := time.Now()
	for range 5 {
		if !p.wait(t.Context()) {
			t.Fatal("gave up")
		}
	}
	if took := time.Since(begun); took < 200*time.Millisecond {
		t.Errorf("five turns took %v, want four gaps", took)
	}
}

func TestLettersAreReadByReason(t *testing.T) {
	t.Parallel()
	c := broker(t, local.Config{}, "dead-letters")
	l := NewLedger(time.Now)
	parked, poison, spent := Name("restart", 1), Name("relay", 2), Name("relay", 3)
	for _, name := range []string{parked, poison, spent} {
		l.Publishing(Event{Name: name, Channel: HTTP})
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- WatchLetters(ctx, c, all("dead-letters"), l) }()
	send(t, c, "dead-letters", map[string]string{"onceway-key": parked, "onceway-reason": "indeterminate"}, "x")
	send(t, c, "dead-letters", map[string]string{"onceway-key": "hash", "onceway-reason": "poison"}, poison)
	send(t, c, "dead-letters", nil, spent)
	wait.Until(t, 10*time.Second, "three letters", func() bool { return l.Tally().Lost == 0 })
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := l.Tally(); got.Parked != 1 || got.DeadLettered != 2 {
		t.Errorf("tally %+v", got)
	}
}
