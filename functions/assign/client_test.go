package assign_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"onceway.internal/functions/assign/client"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

const defaultTopic = "projects/demo-project/topics/default"

// front stands before the service and may answer for it.
type front struct {
	inner http.Handler
	mu    sync.Mutex
	say   http.HandlerFunc // nil: ask the service
	asked map[string]int
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.asked[r.URL.Path]++
	say := f.say
	f.mu.Unlock()
	if say != nil {
		say(w, r)
		return
	}
	f.inner.ServeHTTP(w, r)
}

func (f *front) set(say http.HandlerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.say = say
}

func newClient(t *testing.T, s *service) (*client.Client, *front, *atomic.Int64) {
	t.Helper()
	f := &front{inner: s.handler, asked: map[string]int{}}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	passed := new(atomic.Int64)
	start := time.Now()
	c, err := client.New(client.Config{
		URL: server.URL + "/", HTTP: server.Client(), DefaultTopic: defaultTopic, Timeout: 5 * time.Second,
		Now:  func() time.Time { return start.Add(time.Duration(passed.Load())) },
		Rand: func() float64 { return 0.5 },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, f, passed
}

func broken(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "no healthy upstream", http.StatusBadGateway)
}

func TestClientGetsTheServicesAnswer(t *testing.T) {
	t.Parallel()
	s := newService(t, three())
	s.sampled(t)
	c, _, _ := newClient(t, s)
	a, err := c.Assign(t.Context(), client.Campaign{ID: "c1", Customer: "acme", Size: 10})
	if err != nil || a.Rule != string(route.ByCorrected) || !a.Recorded || a.Topic == "" {
		t.Fatalf("answer %+v, %v", a, err)
	}
	again, err := c.Assign(t.Context(), client.Campaign{ID: "c1", Customer: "acme", Size: 10})
	if err != nil || again.Topic != a.Topic || !again.Repeated {
		t.Errorf("again: %+v, %v", again, err)
	}
	topic, err := c.Topic(t.Context(), "inbox", "fallback")
	if err != nil || topic.Topic == "fallback" {
		t.Errorf("topic %+v, %v", topic, err)
	}
}

func TestClientStillHasATopicWhenTheServiceIsDown(t *testing.T) {
	t.Parallel()
	s := newService(t, three())
	s.change(t, func(l *groups.Live) {
		l.Reservations["dg03"] = groups.Reservation{Group: "dg03", Customers: []string{"acme"}, Until: time.Now().Add(time.Hour)}
	})
	c, f, passed := newClient(t, s)
	f.set(broken)
	if a, err := c.Assign(t.Context(), client.Campaign{ID: "c0"}); err != nil || a.Topic != defaultTopic || a.Rule != string(route.ByStateDownDefault) || a.Recorded {
		t.Errorf("nothing known: %+v, %v", a, err)
	}
	f.set(nil)
	if _, err := c.Assign(t.Context(), client.Campaign{ID: "c1"}); err != nil {
		t.Fatal(err)
	}
	f.set(broken)
	got := map[string]int{}
	for i := range 30 {
		a, err := c.Assign(t.Context(), client.Campaign{ID: fmt.Sprint("d", i), Customer: "globex"})
		if err != nil || a.Rule != string(route.ByStateDown) || a.Recorded {
			t.Fatalf("fallback: %+v, %v", a, err)
		}
		got[a.Topic]++
	}
	one, two, three := got["projects/demo-project/topics/dg01-inbox"], got["projects/demo-project/topics/dg02-inbox"], got["projects/demo-project/topics/dg03-inbox"]
	if one != 10 || two != 20 || three != 0 {
		t.Errorf("shares %v, want one to two by capacity, and none of another's group", got)
	}
	if a, err := c.Assign(t.Context(), client.Campaign{ID: "own", Customer: "acme"}); err != nil || a.Group != "dg03" {
		t.Errorf("acme's campaign: %+v, %v", a, err)
	}
	passed.Add(int64(2 * time.Hour)) // the reservation has ended meanwhile
	seen := map[string]bool{}
	for i := range 6 {
		a, err := c.Assign(t.Context(), client.Campaign{ID: fmt.Sprint("e", i), Customer: "globex"})
		if err != nil {
			t.Fatal(err)
		}
		seen[a.Group] = true
	}
	if !seen["dg03"] {
		t.Errorf("after the end of its reservation dg03 is not used: %v", seen)
	}
	if a, err := c.Topic(t.Context(), "inbox", "fallback"); err != nil || a.Topic != "fallback" {
		t.Errorf("topic %+v, %v", a, err)
	}
}

func TestClientHangsNoLongerThanItsTimeout(t *testing.T) {
	t.Parallel()
	leave := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-leave:
		}
	}))
	t.Cleanup(func() { close(leave); server.Close() })
	c, err := client.New(client.Config{
		URL: server.URL, HTTP: server.Client(), DefaultTopic: defaultTopic, Timeout: 20 * time.Millisecond,
		Now: time.Now, Rand: func() float64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := c.Assign(t.Context(), client.Campaign{ID: "c"}); err != nil || a.Topic != defaultTopic {
		t.Errorf("answer %+v, %v", a, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Assign(ctx, client.Campaign{ID: "c"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that is gone got %v", err)
	}
}

func TestClientPassesRefusalsOn(t *testing.T) {
	t.Parallel()
	s := newService(t, three())
	c, _, _ := newClient(t, s)
	var p *client.Problem
	if _, err := c.Assign(t.Context(), client.Campaign{}); !errors.As(err, &p) || p.Status != 400 || p.Code != "invalid-request" {
		t.Errorf("an invalid campaign: %v", err)
	}
	if _, err := c.Topic(t.Context(), "no/such", "fallback"); !errors.As(err, &p) || p.Status != 404 {
		t.Errorf("an unknown queue: %v", err)
	}
	s.change(t, drainAll)
	if _, err := c.Assign(t.Context(), client.Campaign{ID: "c"}); !errors.Is(err, client.ErrNoGroup) {
		t.Errorf("every group closed: %v", err)
	}
}

func TestClientTriesAgainOnceAndLearnsOnceAMinute(t *testing.T) {
	t.Parallel()
	s := newService(t, three())
	c, f, passed := newClient(t, s)
	for i := range 5 {
		if _, err := c.Assign(t.Context(), client.Campaign{ID: fmt.Sprint("c", i)}); err != nil {
			t.Fatal(err)
		}
	}
	passed.Add(int64(time.Minute))
	if _, err := c.Assign(t.Context(), client.Campaign{ID: "c9"}); err != nil {
		t.Fatal(err)
	}
	if f.asked["/v1/groups"] != 2 || f.asked["/v1/assignments"] != 6 {
		t.Errorf("asked %v", f.asked)
	}
	var once atomic.Bool
	f.set(func(w http.ResponseWriter, r *http.Request) {
		if once.CompareAndSwap(false, true) {
			broken(w, r)
			return
		}
		s.handler.ServeHTTP(w, r)
	})
	if a, err := c.Assign(t.Context(), client.Campaign{ID: "again"}); err != nil || !a.Recorded {
		t.Errorf("after one failure: %+v, %v", a, err)
	}
}
