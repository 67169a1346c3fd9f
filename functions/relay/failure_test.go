package relay_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"onceway.internal/functions/relay"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/once"
)

// closedURL is a URL at which nobody listens: a port given back might be another
// test's a moment later.
const closedURL = "http://127.0.0.1:1"

func TestFailuresWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	hung := serve(t, hangUp)
	stuck := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	for name, tc := range map[string]struct {
		url     string
		timeout time.Duration
		destr   once.Outcome // under destructive policies; retry otherwise
	}{
		"connection refused":         {closedURL, 0, once.Failed},
		"TLS fails":                  {strings.Replace(plain.URL, "http:", "https:", 1), 0, once.Failed},
		"name not found":             {"http://onceway.invalid", 0, once.Failed},
		"reset after the request":    {hung.URL, 0, once.Parked},
		"time-out after the request": {stuck.URL, 50 * time.Millisecond, once.Parked},
	} {
		for _, policy := range policies {
			t.Run(name+"/"+string(policy), func(t *testing.T) {
				t.Parallel()
				b := setUp(t, relay.Config{URL: tc.url, Timeout: tc.timeout, Policy: policy, Private: true}, nil)
				want := once.Failed
				if !policy.Repeatable() {
					want = tc.destr
				}
				if rep := b.deliver(t, message(t, "1")); rep.Outcome != want {
					t.Errorf("outcome %s (%v), want %s", rep.Outcome, rep.Err, want)
				}
			})
		}
	}
}

// TestTransportNeverRepeatsByItself: net/http would send a POST with an
// Idempotency-Key again when a kept connection ends before the answer.
func TestTransportNeverRepeatsByItself(t *testing.T) {
	t.Parallel()
	for _, data := range []string{`{"order":7}`, ""} {
		for _, policy := range policies {
			broken := false
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if broken {
					hangUp(w, r)
					return
				}
				w.WriteHeader(http.StatusNoContent)
			})
			b := setUp(t, relay.Config{URL: s.URL, Policy: policy, Private: true}, nil)
			if rep := b.deliver(t, message(t, "1")); rep.Outcome != once.Done {
				t.Fatalf("first: %s (%v)", rep.Outcome, rep.Err)
			}
			broken = true
			m := message(t, "2")
			m.Data, m.Event.DataEncoded = []byte(data), []byte(data)
			rep := b.deliver(t, m)
			if n := s.requests.Load(); n != 2 || rep.Outcome == once.Done {
				t.Errorf("%s, %d bytes: %d requests for two events, outcome %s", policy, len(data), n, rep.Outcome)
			}
		}
	}
}

func TestEndlessAnswerIsGivenUp(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	})
	b := setUp(t, relay.Config{URL: s.URL, MaxResponse: 10_000, Timeout: 10 * time.Second, Private: true}, nil)
	rep := b.deliver(t, message(t, "1"))
	if rep.Outcome != once.Done || string(rep.Result) != `{"status":200}` {
		t.Errorf("outcome %s (%v), result %q", rep.Outcome, rep.Err, rep.Result)
	}
	if rep.Handled > 8*time.Second {
		t.Errorf("read on for %v", rep.Handled)
	}
}

// unwilling refuses every swap.
type unwilling struct{ claim.Store }

func (unwilling) Swap(context.Context, string, string, claim.Record) (claim.Stored, error) {
	return claim.Stored{}, claim.ErrConflict
}

func TestNothingIsSentWithoutBegin(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	h, err := relay.New(relay.Config{URL: s.URL, Policy: claim.AtMostOnceAfterBegin, Private: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	store, err := memclaim.New(10, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	rep := under(t, h, unwilling{store}).deliver(t, message(t, "1"))
	if rep.Outcome.Ack() || s.requests.Load() != 0 {
		t.Errorf("outcome %s after %d requests", rep.Outcome, s.requests.Load())
	}
}

type tokens struct{ err error }

func (s tokens) Token(_ context.Context, audience string) (string, error) {
	return "token-for-" + audience, s.err
}

func TestMissingTokenSendsNothingAndRetries(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	for _, policy := range policies {
		b := setUp(t, relay.Config{URL: s.URL, Policy: policy, Audience: "a", Private: true}, tokens{errors.New("no metadata server")})
		if rep := b.deliver(t, message(t, "1")); rep.Outcome != once.Failed || s.requests.Load() != 0 {
			t.Errorf("%s: outcome %s after %d requests", policy, rep.Outcome, s.requests.Load())
		}
	}
}

// A kept connection that the service drops just now looks like a lost answer, and
// a destructive event would be parked for it.
func TestDestructiveRequestsShareNoConnection(t *testing.T) {
	t.Parallel()
	for _, policy := range policies {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Close == policy.Repeatable() {
				w.WriteHeader(http.StatusConflict)
			}
		})
		b := setUp(t, relay.Config{URL: s.URL, Policy: policy, Private: true}, nil)
		if rep := b.deliver(t, message(t, "1")); rep.Outcome != once.Done {
			t.Errorf("%s: connection is shared: %v", policy, !policy.Repeatable())
		}
	}
}
