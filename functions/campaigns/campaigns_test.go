package campaigns_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/google/go-cmp/cmp"

	"onceway.internal/functions/campaigns"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/once"
	"onceway.internal/shared/publish"
	"onceway.internal/shared/route"
)

const topic = "projects/demo-project/topics/dg02-personalizer"

// desk assigns everything to dg02.
type desk struct {
	asked      []route.Campaign
	unrecorded bool
	err        error
}

func (d *desk) Assign(_ context.Context, c route.Campaign) (route.Assignment, error) {
	d.asked = append(d.asked, c)
	return route.Assignment{Campaign: c.ID, Group: "dg02", Topic: topic, Recorded: !d.unrecorded}, d.err
}

// sink keeps what was published, and fails after so many.
type sink struct {
	mu     sync.Mutex
	byKey  map[string]publish.Message
	topics map[string]int
	room   int // -1: endless
}

func newSink(room int) *sink {
	return &sink{byKey: map[string]publish.Message{}, topics: map[string]int{}, room: room}
}

var errFull = errors.New("unavailable")

func (s *sink) Publish(_ context.Context, topic string, m publish.Message) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.room == 0 {
		return "", errFull
	}
	s.room--
	s.topics[topic]++
	s.byKey[m.Attributes["onceway-key"]] = m
	return "id", nil
}

func message(data string) *envelope.Message {
	e := event.New()
	e.SetID("1")
	e.SetSource("//pubsub.googleapis.com/x")
	e.SetType("t")
	e.DataEncoded = []byte(data)
	return &envelope.Message{Event: e, Data: []byte(data), Attributes: map[string]string{"team": "blue", "onceway-handler": "campaigns"}, OrderingKey: "o"}
}

func handler(t *testing.T, d *desk, s *sink) *campaigns.Handler {
	t.Helper()
	h, err := campaigns.New(campaigns.Config{MaxMessages: 100, InFlight: 8}, d, s)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestPlan(t *testing.T) {
	t.Parallel()
	many := strings.TrimSuffix(strings.Repeat("1,", 101), ",")
	tests := map[string]struct {
		data  string
		key   string
		fault string
	}{
		"plain":               {`{"campaign":"c1","customer":"acme","size":5,"other":true}`, "c1", ""},
		"size unknown":        {`{"campaign":"c1"}`, "c1", ""},
		"messages":            {`{"campaign":"c1","messages":[1,2]}`, "c1", ""},
		"not JSON":            {`campaign`, "", "read campaign"},
		"empty":               {``, "", "read campaign"},
		"no campaign":         {`{"size":5}`, "", "campaign: must have 1 to 512 bytes"},
		"negative size":       {`{"campaign":"c1","size":-1}`, "", "size: must be 0"},
		"fractional size":     {`{"campaign":"c1","size":1.5}`, "", "size"},
		"size disagrees":      {`{"campaign":"c1","size":3,"messages":[1,2]}`, "", "size: 3, but there are 2 messages"},
		"too many messages":   {`{"campaign":"c1","messages":[` + many + `]}`, "", "messages: 101 are more than 100"},
		"every fault at once": {`{"size":-1,"messages":[` + many + `]}`, "", "campaign: must have"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := handler(t, &desk{}, newSink(-1)).Plan(message(tt.data))
			if tt.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) {
					t.Errorf("error %v, want %q in it", err, tt.fault)
				}
				return
			}
			if err != nil || p.Key != tt.key || p.Policy != claim.AtLeastOnce {
				t.Errorf("plan %+v, %v", p, err)
			}
			if strings.Contains(p.Summary, "acme") {
				t.Errorf("the summary names the customer: %q", p.Summary)
			}
		})
	}
}

func TestTheEventGoesOnUnderItsKey(t *testing.T) {
	t.Parallel()
	d, s := &desk{}, newSink(-1)
	const data = `{"campaign":"c1","customer":"acme","size":5,"other":true}`
	if err := handler(t, d, s).Run(t.Context(), &once.Delivery{Message: message(data), Key: "c1"}); err != nil {
		t.Fatal(err)
	}
	want := map[string]publish.Message{"c1": {
		Data: []byte(data), OrderingKey: "o",
		Attributes: map[string]string{"team": "blue", "onceway-key": "c1", "onceway-campaign": "c1", "onceway-group": "dg02"},
	}}
	if diff := cmp.Diff(want, s.byKey); diff != "" {
		t.Errorf("published (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]route.Campaign{{ID: "c1", Customer: "acme", Size: 5}}, d.asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
}

func TestMessagesGoOnEachUnderItsOwnKey(t *testing.T) {
	t.Parallel()
	d, s := &desk{}, newSink(-1)
	m := message(`{"campaign":"c1","messages":[{"to":1},"two",3]}`)
	if err := handler(t, d, s).Run(t.Context(), &once.Delivery{Message: m, Key: "c1"}); err != nil {
		t.Fatal(err)
	}
	for i, data := range []string{`{"to":1}`, `"two"`, `3`} {
		if got := string(s.byKey[fmt.Sprint("c1/", i)].Data); got != data {
			t.Errorf("message %d is %q, want %q", i, got, data)
		}
	}
	if len(s.byKey) != 3 || s.topics[topic] != 3 {
		t.Errorf("keys %v on topics %v", s.byKey, s.topics)
	}
	if d.asked[0].Size != 3 {
		t.Errorf("asked for size %d", d.asked[0].Size)
	}
}

func TestARerunAfterACrashDoublesNoKey(t *testing.T) {
	t.Parallel()
	m := message(`{"campaign":"c1","messages":[1,2,3,4,5,6,7,8,9]}`)
	s := newSink(4)
	h := handler(t, &desk{}, s)
	var retry *once.RetryError
	if err := h.Run(t.Context(), &once.Delivery{Message: m, Key: "c1"}); !errors.As(err, &retry) || !errors.Is(err, errFull) {
		t.Fatalf("a failing publish: %v, want a retry", err)
	}
	s.room = -1
	if err := h.Run(t.Context(), &once.Delivery{Message: m, Key: "c1"}); err != nil || len(s.byKey) != 9 {
		t.Errorf("rerun: %d keys, %v", len(s.byKey), err)
	}
}

func TestNothingIsPublishedWithoutARecord(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]*desk{"not recorded": {unrecorded: true}, "no group": {err: route.ErrNoGroup}} {
		s := newSink(-1)
		var retry *once.RetryError
		err := handler(t, d, s).Run(t.Context(), &once.Delivery{Message: message(`{"campaign":"c1"}`), Key: "c1"})
		if !errors.As(err, &retry) || len(s.byKey) != 0 {
			t.Errorf("%s: %v, published %v", name, err, s.byKey)
		}
	}
}

func TestAnEndedContextIsNoSuccess(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := newSink(-1)
	err := handler(t, &desk{}, s).Run(ctx, &once.Delivery{Message: message(`{"campaign":"c1","messages":[1,2]}`), Key: "c1"})
	if err == nil {
		t.Errorf("done though %d of 2 messages were published", len(s.byKey))
	}
}
