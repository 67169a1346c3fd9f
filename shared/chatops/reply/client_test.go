package reply_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/chatops/reply"
	"onceway.internal/shared/clock"
)

// api answers by plan and keeps what was asked.
type api struct {
	*httptest.Server
	mu       sync.Mutex
	asked    []string
	statuses []int // of the next answers; then 200
	text     string
}

func newAPI(t *testing.T, statuses ...int) *api {
	t.Helper()
	a := &api{statuses: statuses}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		line, _ := json.Marshal(body)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.asked = append(a.asked, fmt.Sprintf("%s %s %s %s", r.Method, r.URL, r.Header.Get("Authorization"), line))
		status := http.StatusOK
		if len(a.statuses) > 0 {
			status, a.statuses = a.statuses[0], a.statuses[1:]
		}
		w.WriteHeader(status)
		text := a.text
		if text == "" {
			text, _ = body["text"].(string)
		}
		if status != http.StatusOK {
			fmt.Fprint(w, `{"error":{"status":"PERMISSION_DENIED","message":"quotes: restart deployment"}}`)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"name": "spaces/S/messages/M.M", "text": text})
	}))
	t.Cleanup(a.Close)
	return a
}

type bearer struct{}

func (bearer) Token(context.Context) (string, error) { return "tok", nil }

func client(t *testing.T, a *api) *reply.Client {
	t.Helper()
	c, err := reply.New(reply.Config{URL: a.URL + "/", Tokens: bearer{}, HTTP: a.Client(), Clock: clock.System{}, Budget: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var hello = reply.Message{Space: "spaces/S", Thread: "spaces/S/threads/T", RequestID: "onceway-1", Text: "hello"}

func TestAPostGoesToItsThreadUnderItsRequestID(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	name, err := client(t, a).Post(t.Context(), hello)
	if err != nil || name != "spaces/S/messages/M.M" {
		t.Errorf("%q, %v", name, err)
	}
	want := []string{`POST /v1/spaces/S/messages?messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD&requestId=onceway-1 Bearer tok {"text":"hello","thread":{"name":"spaces/S/threads/T"}}`}
	if diff := cmp.Diff(want, a.asked); diff != "" {
		t.Error(diff)
	}
}

func TestAPostThatMeetsAnOlderTextEditsIt(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.text = "Working…"
	if _, err := client(t, a).Post(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	want := `PATCH /v1/spaces/S/messages/M.M?updateMask=text,cards_v2 Bearer tok {"cardsV2":[],"text":"hello"}`
	if len(a.asked) != 2 || a.asked[1] != want {
		t.Errorf("%q, want %q last", a.asked, want)
	}
}

func TestWhatMayHelpIsTriedAgainAndTheRestIsNot(t *testing.T) {
	t.Parallel()
	for status, again := range map[int]bool{401: true, 408: true, 429: true, 500: true, 503: true, 400: false, 403: false, 404: false, 409: false} {
		a := newAPI(t, status)
		_, err := client(t, a).Post(t.Context(), hello)
		if again != (err == nil) || again != (len(a.asked) == 2) {
			t.Errorf("%d: %v after %d calls", status, err, len(a.asked))
		}
		if e, ok := errors.AsType[*reply.Error](err); err != nil && (!ok || e.Status != status || e.Temporary()) {
			t.Errorf("%d: %#v", status, err)
		}
		if err != nil && (strings.Contains(err.Error(), "quotes") || !strings.Contains(err.Error(), "PERMISSION_DENIED")) {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestTriesEndWithTheBudget(t *testing.T) {
	t.Parallel()
	a := newAPI(t, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500)
	_, err := client(t, a).Post(t.Context(), hello)
	if e, ok := errors.AsType[*reply.Error](err); !ok || !e.Temporary() {
		t.Errorf("%v", err)
	}
}

func TestNamesThatAreNoNamesAreNotCalled(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	c := client(t, a)
	for _, space := range []string{"", "spaces/", "spaces/S/../../x", "spaces/S?x", "users/1"} {
		m := hello
		m.Space = space
		if _, err := c.Post(t.Context(), m); err == nil {
			t.Errorf("posted to %q", space)
		}
	}
	for _, name := range []string{"", "spaces/S/messages/", "spaces/S/messages/../x", "spaces/S/messages/a?b"} {
		if err := c.Edit(t.Context(), name, "x", nil); err == nil {
			t.Errorf("edited %q", name)
		}
	}
	if _, err := c.Post(t.Context(), reply.Message{Space: "spaces/S", Text: "x"}); err == nil {
		t.Error("posted without a request ID")
	}
	if len(a.asked) != 0 {
		t.Errorf("called: %q", a.asked)
	}
}

func TestConfigurationFaults(t *testing.T) {
	t.Parallel()
	good := reply.Config{URL: reply.DefaultURL, Tokens: bearer{}, HTTP: http.DefaultClient, Clock: clock.System{}, Budget: time.Second}
	if _, err := reply.New(good); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*reply.Config){
		"http":               func(c *reply.Config) { c.URL = "http://chat.googleapis.com" },
		"no host":            func(c *reply.Config) { c.URL = "https://" },
		"tokens are missing": func(c *reply.Config) { c.Tokens = nil },
		"no clock":           func(c *reply.Config) { c.Clock = nil },
		"no budget":          func(c *reply.Config) { c.Budget = 0 },
	} {
		c := good
		spoil(&c)
		if _, err := reply.New(c); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
