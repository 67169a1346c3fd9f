package local

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"onceway.internal/test/wait"
)

func TestWhatIsNotOfferedIsRefused(t *testing.T) {
	t.Parallel()
	_, c := start(t, Config{MinAckDeadline: 10 * time.Second})
	i := 0
	for name, tt := range map[string]struct {
		sub  *pubsubpb.Subscription
		want codes.Code
	}{
		"ordering":             {&pubsubpb.Subscription{EnableMessageOrdering: true}, codes.Unimplemented},
		"exactly once":         {&pubsubpb.Subscription{EnableExactlyOnceDelivery: true}, codes.Unimplemented},
		"filter":               {&pubsubpb.Subscription{Filter: `attributes.a = "1"`}, codes.Unimplemented},
		"unwrapped push":       {&pubsubpb.Subscription{PushConfig: &pubsubpb.PushConfig{PushEndpoint: "http://127.0.0.1:1", Wrapper: &pubsubpb.PushConfig_NoWrapper_{NoWrapper: &pubsubpb.PushConfig_NoWrapper{}}}}, codes.Unimplemented},
		"endpoint is no URL":   {&pubsubpb.Subscription{PushConfig: &pubsubpb.PushConfig{PushEndpoint: "nowhere"}}, codes.InvalidArgument},
		"short deadline":       {&pubsubpb.Subscription{AckDeadlineSeconds: 9}, codes.InvalidArgument},
		"long deadline":        {&pubsubpb.Subscription{AckDeadlineSeconds: 601}, codes.InvalidArgument},
		"back-off upside down": {&pubsubpb.Subscription{RetryPolicy: backoff(20, 10)}, codes.InvalidArgument},
		"few attempts":         {&pubsubpb.Subscription{DeadLetterPolicy: &pubsubpb.DeadLetterPolicy{DeadLetterTopic: deadTopic, MaxDeliveryAttempts: 4}}, codes.InvalidArgument},
		"no dead-letter topic": {&pubsubpb.Subscription{DeadLetterPolicy: &pubsubpb.DeadLetterPolicy{DeadLetterTopic: deadTopic + "-2"}}, codes.NotFound},
		"no topic":             {&pubsubpb.Subscription{Topic: topicName + "-2"}, codes.NotFound},
		"retention":            {&pubsubpb.Subscription{MessageRetentionDuration: durationpb.New(32 * 24 * time.Hour)}, codes.InvalidArgument},
		"31 days are allowed":  {&pubsubpb.Subscription{MessageRetentionDuration: durationpb.New(31 * 24 * time.Hour)}, codes.OK},
	} {
		t.Run(name, func(t *testing.T) {
			tt.sub.Name = fmt.Sprintf("%s-%d", subName, i)
			i++
			if tt.sub.Topic == "" {
				tt.sub.Topic = topicName
			}
			_, err := c.SubscriptionAdminClient.CreateSubscription(t.Context(), tt.sub)
			if got := status.Code(err); got != tt.want {
				t.Errorf("answered %v (%v), want %v", got, err, tt.want)
			}
		})
	}
}

func TestPushEndpointCanBeSetLater(t *testing.T) {
	t.Parallel()
	s, c := start(t, Config{})
	subscribe(t, c, &pubsubpb.Subscription{Name: subName})
	publish(t, c, "x", nil)
	e := newEndpoint(t, ok)
	_, err := c.SubscriptionAdminClient.UpdateSubscription(t.Context(), &pubsubpb.UpdateSubscriptionRequest{
		Subscription: &pubsubpb.Subscription{Name: subName, PushConfig: pushTo(e)},
		UpdateMask:   &fieldmaskpb.FieldMask{Paths: []string{"push_config"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	wait.Until(t, long, "pushed", func() bool { return undelivered(s) == 0 })
	_, err = c.SubscriptionAdminClient.Pull(t.Context(), &pubsubpb.PullRequest{Subscription: subName, MaxMessages: 1})
	if status.Code(err) != codes.FailedPrecondition {
		t.Errorf("pulling a push subscription answered %v", err)
	}
}

func TestDeletedSubscriptionStopsPushing(t *testing.T) {
	t.Parallel()
	s, c := start(t, Config{})
	ended := make(chan struct{})
	e := newEndpoint(t, func(_ int, _ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(ended)
	})
	subscribe(t, c, &pubsubpb.Subscription{Name: subName, PushConfig: pushTo(e)})
	publish(t, c, "x", nil)
	wait.Until(t, long, "pushed", func() bool { return e.count() == 1 })
	if err := c.SubscriptionAdminClient.DeleteSubscription(t.Context(), &pubsubpb.DeleteSubscriptionRequest{Subscription: subName}); err != nil {
		t.Fatal(err)
	}
	<-ended
	if _, there := s.Stats(subName); there {
		t.Error("the subscription is still there")
	}
}

func TestConfigNamesEveryFault(t *testing.T) {
	t.Parallel()
	_, err := Start(Config{PushConcurrency: -1, MinAckDeadline: time.Hour})
	for _, want := range []string{"PushConcurrency", "MinAckDeadline"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
}
