package local

import (
	"context"
	"sync"
	"testing"

	"cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"

	"onceway.internal/test/wait"
)

func pullOne(t *testing.T, c *pubsub.Client, sub string) *pubsubpb.ReceivedMessage {
	t.Helper()
	var got *pubsubpb.ReceivedMessage
	wait.Until(t, long, "a message on "+sub, func() bool {
		res, err := c.SubscriptionAdminClient.Pull(t.Context(), &pubsubpb.PullRequest{Subscription: sub, MaxMessages: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.ReceivedMessages) > 0 {
			got = res.ReceivedMessages[0]
		}
		return got != nil
	})
	return got
}

func TestAttemptsAreCountedPerSubscription(t *testing.T) {
	t.Parallel()
	_, c := start(t, Config{})
	other := subName + "-too"
	policy := &pubsubpb.DeadLetterPolicy{DeadLetterTopic: deadTopic}
	subscribe(t, c, &pubsubpb.Subscription{Name: subName, DeadLetterPolicy: policy})
	subscribe(t, c, &pubsubpb.Subscription{Name: other, DeadLetterPolicy: policy})
	publish(t, c, "x", nil)
	for want := int32(1); want <= 2; want++ {
		m := pullOne(t, c, subName)
		if m.DeliveryAttempt != want {
			t.Errorf("attempt %d, want %d", m.DeliveryAttempt, want)
		}
		nack(t, c, subName, m)
	}
	if m := pullOne(t, c, other); m.DeliveryAttempt != 1 {
		t.Errorf("the other subscription's first delivery is attempt %d", m.DeliveryAttempt)
	}
}

func nack(t *testing.T, c *pubsub.Client, sub string, m *pubsubpb.ReceivedMessage) {
	t.Helper()
	err := c.SubscriptionAdminClient.ModifyAckDeadline(t.Context(), &pubsubpb.ModifyAckDeadlineRequest{Subscription: sub, AckIds: []string{m.AckId}})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLateAcknowledgementDoesNotTakeASecondDelivery(t *testing.T) {
	t.Parallel()
	s, c := start(t, Config{})
	subscribe(t, c, &pubsubpb.Subscription{Name: subName})
	publish(t, c, "x", nil)
	first := pullOne(t, c, subName)
	nack(t, c, subName, first)
	second := pullOne(t, c, subName)
	for _, step := range []struct {
		ackID string
		left  int64
	}{{first.AckId, 1}, {second.AckId, 0}} {
		if err := c.SubscriptionAdminClient.Acknowledge(t.Context(), &pubsubpb.AcknowledgeRequest{Subscription: subName, AckIds: []string{step.ackID}}); err != nil {
			t.Fatal(err)
		}
		if got := undelivered(s); got != step.left {
			t.Errorf("after %s: %d undelivered, want %d", step.ackID, got, step.left)
		}
	}
}

func TestStreamsShareAndKeepTheirLimit(t *testing.T) {
	t.Parallel()
	s, c := start(t, Config{})
	subscribe(t, c, &pubsubpb.Subscription{Name: subName})
	for range 40 {
		publish(t, c, "x", nil)
	}
	var mu sync.Mutex
	held := map[int]int{}
	full := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	var streams sync.WaitGroup
	for i := range 2 {
		sub := c.Subscriber(subName)
		sub.ReceiveSettings = pubsub.ReceiveSettings{MaxOutstandingMessages: 5, MaxOutstandingBytes: 1 << 20, NumGoroutines: 1}
		streams.Go(func() {
			err := sub.Receive(ctx, func(_ context.Context, m *pubsub.Message) {
				mu.Lock()
				held[i]++
				if held[0] == 5 && held[1] == 5 {
					if stats, _ := s.Stats(subName); stats.Outstanding != 10 {
						t.Errorf("%d messages are out, want 5 for each stream", stats.Outstanding)
					}
					close(full)
				}
				mu.Unlock()
				<-full
				m.Ack()
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	<-full
	wait.Until(t, long, "all acknowledged", func() bool { return undelivered(s) == 0 })
	cancel()
	streams.Wait()
}

func TestCutLinkLosesNothing(t *testing.T) {
	t.Parallel()
	s, c := start(t, Config{})
	subscribe(t, c, &pubsubpb.Subscription{Name: subName, AckDeadlineSeconds: 1})
	link, err := NewLink(s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(link.Cut)
	victim := dial(t, link.Addr())
	publish(t, c, "x", nil)
	if got := pullOne(t, victim, subName); got.Message == nil {
		t.Fatal("no message for the victim")
	}
	link.Cut()
	if _, err := victim.SubscriptionAdminClient.Pull(shortly(t), &pubsubpb.PullRequest{Subscription: subName, MaxMessages: 1}); err == nil {
		t.Error("the victim still reaches the broker")
	}
	if got := pullOne(t, c, subName); string(got.Message.Data) != "x" {
		t.Errorf("the survivor got %v", got)
	}
}

func shortly(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), long/50)
	t.Cleanup(cancel)
	return ctx
}
