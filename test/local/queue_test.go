package local

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// bare makes a queue without a network, for a test on a clock of its own.
func bare(redeliver float64, sub *pubsubpb.Subscription) *queue {
	s := &Server{topics: map[string]*topic{}, queues: map[string]*queue{}, rand: seeded(1)}
	s.config.Redeliver = func(string) float64 { return redeliver }
	sub.Name = subName
	if sub.AckDeadlineSeconds == 0 {
		sub.AckDeadlineSeconds = 10
	}
	return newQueue(s, sub)
}

func message(id string) *pubsubpb.PubsubMessage {
	return &pubsubpb.PubsubMessage{MessageId: id, Data: []byte(id), PublishTime: timestamppb.Now()}
}

func TestBackOffGrowsFromMinimumToMaximum(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := bare(0, &pubsubpb.Subscription{RetryPolicy: &pubsubpb.RetryPolicy{
			MinimumBackoff: durationpb.New(10 * time.Second), MaximumBackoff: durationpb.New(60 * time.Second)}})
		q.put(message("1"))
		var waits []time.Duration
		last := time.Now()
		for range 6 {
			m := q.next(t.Context(), &holder{limit: 1}, 1, 0, false)[0]
			waits = append(waits, time.Since(last).Round(time.Second))
			q.modify(m.AckId, 0)
			last = time.Now()
		}
		want := []time.Duration{0, 10 * time.Second, 20 * time.Second, 40 * time.Second, time.Minute, time.Minute}
		if diff := cmp.Diff(want, waits); diff != "" {
			t.Errorf("waits (-want +got):\n%s", diff)
		}
	})
}

func TestLeaseThatIsExtendedDoesNotEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := bare(0, &pubsubpb.Subscription{})
		q.put(message("1"))
		begun := time.Now()
		m := q.next(t.Context(), &holder{limit: 1}, 1, 0, false)[0]
		time.Sleep(9 * time.Second) //nolint:forbidigo // the test's own clock
		q.modify(m.AckId, 30*time.Second)
		q.next(t.Context(), &holder{limit: 1}, 1, 0, false)
		if took := time.Since(begun).Round(time.Second); took != 39*time.Second {
			t.Errorf("delivered again after %v, want 39 s", took)
		}
	})
}

func TestRedeliveryRepeatsEveryMessageOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := bare(1, &pubsubpb.Subscription{})
		var want []string
		for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
			q.put(message(id))
			want = append(want, id, id)
		}
		var got []string
		beside, held := 0, map[string]string{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for range want {
			messages := q.next(ctx, &holder{limit: 1}, 1, time.Minute, false)
			if messages == nil {
				t.Fatalf("only %d deliveries", len(got))
			}
			id := messages[0].Message.MessageId
			got = append(got, id)
			if held[id] != "" {
				beside++ // its first delivery is still out
			}
			held[id] = messages[0].AckId
			if len(got)%2 == 0 {
				for id, ackID := range held {
					q.ack(ackID)
					delete(held, id)
				}
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("deliveries (-want +got):\n%s", diff)
		}
		if beside == 0 || beside == 8 {
			t.Errorf("%d of 8 repeats came beside their first delivery, want some and not all", beside)
		}
	})
}

func TestExtraDeliveryIsNotBacklog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := bare(1, &pubsubpb.Subscription{})
		q.server.queues[subName] = q
		q.put(message("1"))
		published := time.Now()
		time.Sleep(3 * time.Second) //nolint:forbidigo // the test's own clock
		stats, _ := q.server.Stats(subName)
		want := Stats{Undelivered: 1, Oldest: published.UTC()}
		if diff := cmp.Diff(want, stats); diff != "" {
			t.Errorf("before (-want +got):\n%s", diff)
		}
		h := &holder{limit: 9}
		for range 2 {
			q.ack(q.next(t.Context(), h, 1, 0, false)[0].AckId)
		}
		stats, _ = q.server.Stats(subName)
		want = Stats{Acked: 1, Deliveries: 2, Redeliveries: 1}
		if diff := cmp.Diff(want, stats); diff != "" {
			t.Errorf("after (-want +got):\n%s", diff)
		}
	})
}

func TestNackedExtraDeliveryDoesNotComeAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := bare(1, &pubsubpb.Subscription{})
		for _, id := range []string{"a", "b", "c", "d"} {
			q.put(message(id))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		deliveries, held := 0, map[string]bool{}
		for {
			messages := q.next(ctx, &holder{limit: 1}, 1, time.Hour, false)
			if messages == nil {
				break
			}
			deliveries++
			if id := messages[0].Message.MessageId; held[id] {
				q.modify(messages[0].AckId, 0) // the extra one
			} else {
				held[id] = true
				q.ack(messages[0].AckId)
			}
			if deliveries > 20 {
				t.Fatal("it comes again and again")
			}
		}
		if deliveries != 8 {
			t.Errorf("%d deliveries, want 8", deliveries)
		}
	})
}
