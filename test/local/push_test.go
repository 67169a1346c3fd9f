package local

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/durationpb"

	"onceway.internal/test/wait"
)

func TestPushBodyHasTheServicesShape(t *testing.T) {
	t.Parallel()
	_, c := start(t, Config{})
	e := newEndpoint(t, ok)
	subscribe(t, c, &pubsubpb.Subscription{Name: subName, PushConfig: pushTo(e)})
	id := publish(t, c, "hello", map[string]string{"a": "1"})
	wait.Until(t, long, "pushed", func() bool { return e.count() == 1 })
	got := regexp.MustCompile(`"(publishTime|publish_time)":"\d{4}-[^"]+Z"`).ReplaceAllString(e.bodies[0], `"$1":"T"`)
	want := `{"message":{"attributes":{"a":"1"},"data":"aGVsbG8=","messageId":"ID","message_id":"ID","publishTime":"T","publish_time":"T"},"subscription":"` + subName + `"}`
	if diff := cmp.Diff(strings.ReplaceAll(want, "ID", id), got); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	if got := e.headers[0].Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type is %q", got)
	}
}

func TestOnlyTheServicesStatusesAcknowledge(t *testing.T) {
	t.Parallel()
	for status, acks := range map[int]bool{200: true, 201: true, 202: true, 204: true, 203: false, 301: false, 400: false, 413: false, 500: false, 503: false} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			s, c := start(t, Config{})
			e := newEndpoint(t, func(n int, w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/elsewhere")
				if n > 1 {
					status = http.StatusOK
				}
				w.WriteHeader(status)
			})
			subscribe(t, c, &pubsubpb.Subscription{Name: subName, PushConfig: pushTo(e), RetryPolicy: backoff(5, 5)})
			id := publish(t, c, "x", nil)
			wait.Until(t, long, "acknowledged", func() bool { return e.count() > 0 && undelivered(s) == 0 })
			if want := map[bool]int{true: 1, false: 2}[acks]; e.count() != want {
				t.Errorf("%d requests, want %d", e.count(), want)
			}
			for i, body := range e.bodies {
				if !strings.Contains(body, id) {
					t.Errorf("request %d was no push: a redirect was followed", i+1)
				}
			}
		})
	}
}

func TestPushIsCancelledAtTheAckDeadlineAndComesAgain(t *testing.T) {
	t.Parallel()
	s, c := start(t, Config{})
	cancelled := make(chan time.Time, 1)
	begun := time.Now()
	e := newEndpoint(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			<-r.Context().Done()
			cancelled <- time.Now()
		}
	})
	subscribe(t, c, &pubsubpb.Subscription{Name: subName, AckDeadlineSeconds: 1, PushConfig: pushTo(e), RetryPolicy: backoff(1, 1)})
	publish(t, c, "x", nil)
	if took := (<-cancelled).Sub(begun); took < time.Second {
		t.Errorf("cancelled after %v, before the deadline of 1 s", took)
	}
	wait.Until(t, long, "delivered again", func() bool { return e.count() == 2 && undelivered(s) == 0 })
}

func TestPushesInFlightAreBounded(t *testing.T) {
	t.Parallel()
	s, c := start(t, Config{PushConcurrency: 3})
	full, release := make(chan struct{}), make(chan struct{})
	e := newEndpoint(t, func(n int, _ http.ResponseWriter, _ *http.Request) {
		if n == 3 {
			close(full)
		}
		<-release
	})
	subscribe(t, c, &pubsubpb.Subscription{Name: subName, PushConfig: pushTo(e)})
	for range 12 {
		publish(t, c, "x", nil)
	}
	<-full
	close(release)
	wait.Until(t, long, "all acknowledged", func() bool { return undelivered(s) == 0 })
	if e.peak != 3 {
		t.Errorf("%d pushes at once, want 3", e.peak)
	}
}

func TestDeadLetterHasANewIDAndSaysWhereItCameFrom(t *testing.T) {
	t.Parallel()
	s, c := start(t, Config{})
	e := newEndpoint(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	subscribe(t, c, &pubsubpb.Subscription{Name: deadSub, Topic: deadTopic})
	subscribe(t, c, &pubsubpb.Subscription{Name: subName, PushConfig: pushTo(e), RetryPolicy: backoff(1, 1),
		DeadLetterPolicy: &pubsubpb.DeadLetterPolicy{DeadLetterTopic: deadTopic, MaxDeliveryAttempts: 5}})
	id := publish(t, c, "poison", map[string]string{"onceway-key": "k"})
	pulled := pullOne(t, c, deadSub)
	attributes := pulled.Message.Attributes
	if attributes["CloudPubSubDeadLetterSourceTopicPublishTime"] == "" {
		t.Error("no publish time of the source")
	}
	delete(attributes, "CloudPubSubDeadLetterSourceTopicPublishTime")
	want := map[string]string{
		"onceway-key": "k", "CloudPubSubDeadLetterSourceDeliveryCount": "5",
		"CloudPubSubDeadLetterSourceSubscription": "events-push", "CloudPubSubDeadLetterSourceSubscriptionProject": "demo-project",
	}
	if diff := cmp.Diff(want, attributes); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
	if pulled.Message.MessageId == id || string(pulled.Message.Data) != "poison" {
		t.Errorf("letter %s holds %q; the event was %s", pulled.Message.MessageId, pulled.Message.Data, id)
	}
	if n := undelivered(s); n != 0 {
		t.Errorf("%d messages left behind", n)
	}
	for i, body := range e.bodies {
		var got pushBody
		if err := json.Unmarshal([]byte(body), &got); err != nil || int(got.DeliveryAttempt) != i+1 {
			t.Errorf("push %d: delivery attempt %d, %v", i+1, got.DeliveryAttempt, err)
		}
	}
}

func backoff(low, high int) *pubsubpb.RetryPolicy {
	ms := func(n int) *durationpb.Duration { return durationpb.New(time.Duration(n) * time.Millisecond) }
	return &pubsubpb.RetryPolicy{MinimumBackoff: ms(low), MaximumBackoff: ms(high)}
}
