package relay_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"onceway.internal/functions/relay"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
)

func TestMain(m *testing.M) {
	// Google's clients, imported far below, start this one for ever.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

// deadLetters takes letters and counts them.
type deadLetters struct{ n atomic.Int64 }

func (d *deadLetters) Publish(context.Context, letter.Letter) error {
	d.n.Add(1)
	return nil
}

// bench is the handler under the real runner and a real claim store.
type bench struct {
	handler *relay.Handler
	runner  *once.Runner
	letters *deadLetters
}

func setUp(t *testing.T, c relay.Config, tokens relay.TokenSource) *bench {
	t.Helper()
	h, err := relay.New(c, tokens)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	store, err := memclaim.New(1000, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return under(t, h, store)
}

func under(t *testing.T, h *relay.Handler, store claim.Store) *bench {
	t.Helper()
	machine, err := claim.NewMachine(claim.Config{
		Store: store, Clock: clock.System{}, Lease: time.Minute, TTL: time.Hour, MaxAttempts: 5,
		StoreTimeout: 5 * time.Second, FinishBudget: 5 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{handler: h, letters: &deadLetters{}}
	b.runner, err = once.NewRunner(once.Config{
		Claims: machine, DeadLetters: b.letters, Clock: clock.System{}, Log: slog.New(slog.DiscardHandler),
		HandlerTimeout: 30 * time.Second, PublishTimeout: time.Second, WaitPoll: time.Millisecond, Slots: 4,
		Lifetime: context.WithoutCancel(t.Context()),
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) deliver(t *testing.T, m *envelope.Message) once.Report {
	t.Helper()
	return b.runner.Deliver(t.Context(), b.handler, m)
}

func message(t *testing.T, id string) *envelope.Message {
	t.Helper()
	return pulled(t, envelope.Pulled{ID: id, Data: []byte(`{"order":7}`), Subscription: "projects/demo-project/subscriptions/relay"})
}

func pulled(t *testing.T, p envelope.Pulled) *envelope.Message {
	t.Helper()
	m, err := envelope.FromPulled(p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// service is a server of yours that counts what reaches it.
type service struct {
	*httptest.Server
	requests atomic.Int64
}

func serve(t *testing.T, answer http.HandlerFunc) *service {
	t.Helper()
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		answer(w, r)
	}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	t.Cleanup(s.Close)
	return s
}

// hangUp reads the whole request and then ends the connection without an answer.
func hangUp(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
		conn.Close()
	}
}

var policies = []claim.Policy{claim.AtLeastOnce, claim.AtMostOnce, claim.AtMostOnceAfterBegin}
