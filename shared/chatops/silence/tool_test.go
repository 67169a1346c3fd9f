package silence_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/silence"
	"onceway.internal/shared/once"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// alertmanager stands in for API v2: it keeps silences, and fails by plan.
type alertmanager struct {
	*httptest.Server
	mu       sync.Mutex
	silences []map[string]any
	faults   []string // of the next posts: "lose" the answer after it, "lost" before it, or a status
	posts    int
}

func newAlertmanager(t *testing.T) *alertmanager {
	t.Helper()
	a := &alertmanager{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /am/api/v2/silences", func(w http.ResponseWriter, _ *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		_ = json.NewEncoder(w).Encode(a.silences)
	})
	mux.HandleFunc("POST /am/api/v2/silences", func(w http.ResponseWriter, r *http.Request) {
		var s map[string]any
		_ = json.NewDecoder(r.Body).Decode(&s)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.posts++
		fault := ""
		if len(a.faults) > 0 {
			fault, a.faults = a.faults[0], a.faults[1:]
		}
		switch fault {
		case "lost":
			panic(http.ErrAbortHandler)
		case "400":
			http.Error(w, `"bad matcher"`, http.StatusBadRequest)
			return
		case "500":
			http.Error(w, `"trouble"`, http.StatusInternalServerError)
			return
		}
		a.silences = append(a.silences, s)
		if fault == "lose" {
			panic(http.ErrAbortHandler)
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"silenceID": "s-1"})
	})
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

func (a *alertmanager) command(t *testing.T, now time.Time) (chatops.Command, *chatops.Set) {
	t.Helper()
	u, err := url.Parse(a.URL + "/am/")
	if err != nil {
		t.Fatal(err)
	}
	commands, err := silence.Commands(silence.Tool{URL: u, HTTP: a.Client(), Now: func() time.Time { return now }, Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	set, err := chatops.NewSet(time.UTC, commands...)
	if err != nil {
		t.Fatal(err)
	}
	return commands[0], set
}

const line = `silence alertname=“Payments Down” severity=~"page|warn", team!=db for 2h because rolling back`

func (a *alertmanager) say(t *testing.T, line, op string, now time.Time) (text string, begun bool, err error) {
	t.Helper()
	_, set := a.command(t, now)
	_, call, err := set.Parse(line, noon)
	if err != nil {
		t.Fatal(err)
	}
	text, err = call.Do(t.Context(), chatops.Operation{ID: op, Actor: "ann@acme.example", Begin: func(ctx context.Context) (context.Context, error) {
		begun = true
		return ctx, nil
	}})
	return text, begun, err
}

func TestASilenceIsMadeOnceAsItWasAsked(t *testing.T) {
	t.Parallel()
	a := newAlertmanager(t)
	for range 2 {
		text, _, err := a.say(t, line, "op-1", noon.Add(time.Minute))
		if err != nil || text != "Silenced until 2026-11-30 14:00 UTC." {
			t.Errorf("%q, %v", text, err)
		}
	}
	want := []map[string]any{{
		"matchers": []any{
			map[string]any{"name": "alertname", "value": "Payments Down", "isRegex": false, "isEqual": true},
			map[string]any{"name": "severity", "value": "page|warn", "isRegex": true, "isEqual": true},
			map[string]any{"name": "team", "value": "db", "isRegex": false, "isEqual": false},
		},
		"startsAt": "2026-11-30T12:01:00Z", "endsAt": "2026-11-30T14:00:00Z",
		"createdBy": "ann@acme.example", "comment": "rolling back [onceway op-1]",
	}}
	if diff := cmp.Diff(want, a.silences); diff != "" {
		t.Error(diff)
	}
}

func TestWhatBecomesOfFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		faults []string
		down   bool
		late   bool
		want   string
		made   int
	}{
		"the answer is lost":        {faults: []string{"lose"}, want: "done", made: 1},
		"the request is lost":       {faults: []string{"lost"}, want: "unknown"},
		"a server error":            {faults: []string{"500"}, want: "unknown"},
		"it is invalid":             {faults: []string{"400"}, want: "refused"},
		"the time is over":          {late: true, want: "refused"},
		"Alertmanager is not there": {down: true, want: "not begun"},
	} {
		a := newAlertmanager(t)
		a.faults = test.faults
		now := noon
		if test.late {
			now = noon.Add(3 * time.Hour)
		}
		if test.down {
			a.Close()
		}
		_, begun, err := a.say(t, line, "op-1", now)
		got := "done"
		if err != nil {
			got = "unknown"
			if _, ok := errors.AsType[*chatops.Refusal](err); ok {
				got = "refused"
			} else if !begun {
				got = "not begun"
			}
		}
		if got != test.want || len(a.silences) != test.made || a.posts > 1 {
			t.Errorf("%s: %s, %d made in %d posts (%v); want %s", name, got, len(a.silences), a.posts, err, test.want)
		}
	}
}

func TestVerifyKnowsUntilTheSilenceEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		op   string
		now  time.Time
		want once.Answer
	}{
		"made":                       {"op-1", noon, once.EffectDone},
		"made, and over":             {"op-1", noon.Add(5 * time.Hour), once.EffectDone},
		"not made":                   {"op-2", noon, once.EffectNotDone},
		"not made, about to be over": {"op-2", noon.Add(2*time.Hour - time.Second), once.Unknown},
		"not listed after its end":   {"op-2", noon.Add(3 * time.Hour), once.Unknown},
		"a longer ID begins with it": {"op", noon, once.EffectNotDone},
	} {
		a := newAlertmanager(t)
		if _, _, err := a.say(t, line, "op-1", noon); err != nil {
			t.Fatal(err)
		}
		c, set := a.command(t, test.now)
		_, call, err := set.Parse(line, noon)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Verify(t.Context(), call.Subject, test.op); err != nil || got != test.want {
			t.Errorf("%s: %v, %v; want %v", name, got, err, test.want)
		}
		a.Close()
		if got, err := c.Verify(t.Context(), call.Subject, test.op); err == nil || got != once.Unknown {
			t.Errorf("%s, Alertmanager gone: %v, %v", name, got, err)
		}
	}
}

func TestMatchersAreChecked(t *testing.T) {
	t.Parallel()
	_, set := newAlertmanager(t).command(t, noon)
	for matchers, good := range map[string]bool{
		"a=b": true, "{a=b}": true, `{a="b", c!~"d.*"}`: true, "a=b c=d": true, "a=b, c=d": true, `a="b,c"`: true, "a!=b c=d": true, "a=~b+": true,
		"": false, "a": false, "a = b": false, "a=b,c=d": false, "1a=b": false, "a=~(": false, "a=": false, "a!=b": false, "a=~.*": false, "a!~b": false, "{}": false, `a=~""`: false,
	} {
		if _, _, err := set.Parse("silence "+matchers+" for 2h because x", noon); (err == nil) != good {
			t.Errorf("%s: %v", matchers, err)
		}
	}
	for _, rest := range []string{"", "for", "for 2h", "for 31d because x", "for ever because x", "because x", "for 2h because"} {
		if _, _, err := set.Parse("silence a=b "+rest, noon); err == nil {
			t.Errorf("%q was taken", rest)
		}
	}
}
