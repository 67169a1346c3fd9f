package relay_test

import (
	"errors"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"onceway.internal/functions/relay"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/once"
)

// row is one of the README's table of statuses.
var row = regexp.MustCompile(`(?m)^\| ([2-5]\d\d(?: \d\d\d)*) \| .* \| (.*) \| (.*) \|$`)

// words are what the README calls outcomes.
var words = map[string]once.Outcome{"done": once.Done, "dead letter": once.DeadLettered, "retry": once.Failed, "parked": once.Parked}

// TestEveryStatusMeansWhatTheREADMESays sends real requests for each row, under
// each policy, through the real runner.
func TestEveryStatusMeansWhatTheREADMESays(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := row.FindAllStringSubmatch(string(readme), -1)
	if len(rows) < 13 {
		t.Fatalf("found %d rows of statuses in the README", len(rows))
	}
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		w.Header().Set("Location", "/200")
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(code)
	})
	for _, policy := range policies {
		for _, r := range rows {
			want, ok := words[r[2]]
			if !policy.Repeatable() {
				want, ok = words[r[3]]
			}
			if !ok {
				t.Fatalf("row %q has an unknown outcome", r[0])
			}
			for code := range strings.FieldsSeq(r[1]) {
				t.Run(string(policy)+"/"+code, func(t *testing.T) {
					t.Parallel()
					b := setUp(t, relay.Config{URL: s.URL + "/" + code, Policy: policy, Private: true}, nil)
					rep := b.deliver(t, message(t, "1"))
					if rep.Outcome != want {
						t.Errorf("outcome %s (%v), want %s", rep.Outcome, rep.Err, want)
					}
					var status *relay.StatusError
					if want != once.Done && (!errors.As(rep.Err, &status) || strconv.Itoa(status.Code) != code) {
						t.Errorf("error %v does not name the status", rep.Err)
					}
					kept := want == once.DeadLettered || want == once.Parked
					if got := b.letters.n.Load(); (got == 1) != kept {
						t.Errorf("%d letters published", got)
					}
				})
			}
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere", http.StatusPermanentRedirect)
	})
	b := setUp(t, relay.Config{URL: s.URL, Private: true}, nil)
	if rep := b.deliver(t, message(t, "1")); rep.Outcome != once.DeadLettered {
		t.Errorf("outcome %s", rep.Outcome)
	}
	if n := s.requests.Load(); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestServiceMaySayThatNothingHappened(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Onceway-Effect", "none")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	for _, policy := range policies {
		b := setUp(t, relay.Config{URL: s.URL, Private: true, Policy: policy}, nil)
		if rep := b.deliver(t, message(t, "1")); rep.Outcome != once.Failed || rep.State != claim.Retry {
			t.Errorf("%s: outcome %s, state %s", policy, rep.Outcome, rep.State)
		}
	}
}

func TestRefusedDestructiveEventEndsAsADeadLetterNotParked(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	b := setUp(t, relay.Config{URL: s.URL, Private: true, Policy: claim.AtMostOnce}, nil)
	var rep once.Report
	for range 6 {
		rep = b.deliver(t, message(t, "1"))
	}
	if rep.Outcome != once.DeadLettered || s.requests.Load() != 5 {
		t.Errorf("outcome %s after %d requests", rep.Outcome, s.requests.Load())
	}
}
