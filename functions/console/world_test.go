package console_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"onceway.internal/functions/console"
	"onceway.internal/shared/audit/memaudit"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/groups/memgroups"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/publish"
	"onceway.internal/shared/route"
	"onceway.internal/shared/route/memroute"
	"onceway.internal/shared/settle"
	"onceway.internal/test/wait"
)

const (
	operator = "oncall@acme.example"
	viewer   = "ann@acme.example"
)

// world is the console over the real parts in memory.
type world struct {
	t       *testing.T
	deps    console.Deps
	handler *console.Handler
	claims  *memclaim.Store
	letters *memclaim.Letters
	live    *memgroups.Store
	state   *memroute.Store
	audit   *memaudit.Log
	topic   *outbox
}

// outbox is Pub/Sub, as far as replays go there.
type outbox struct {
	mu   sync.Mutex
	sent []publish.Message
}

func (o *outbox) Publish(_ context.Context, _ string, m publish.Message) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent = append(o.sent, m)
	return fmt.Sprint(len(o.sent)), nil
}

func (o *outbox) TopicOf(context.Context, string) (string, error) {
	return "projects/demo-project/topics/relay-events", nil
}

func (o *outbox) all() []publish.Message {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]publish.Message(nil), o.sent...)
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, live: memgroups.New(time.Now), topic: &outbox{}}
	w.claims = must(memclaim.New(1000, time.Now))(t)
	w.letters = must(memclaim.NewLetters(1000, time.Now))(t)
	w.audit = must(memaudit.New(1000))(t)
	w.state = must(memroute.New(w.live, time.Now))(t)
	c := groups.Config{Default: "dg01", Overflow: "projects/demo-project/topics/overflow"}
	for i := range 3 {
		id := fmt.Sprintf("dg%02d", i+1)
		g := groups.Group{ID: id, Open: i == 0}
		for _, q := range []string{"personalizer", "inbox"} {
			g.Queues = append(g.Queues, groups.Queue{Name: q, Topic: id + "-" + q, Subscription: id + "-" + q, Project: "demo-project", Rate: 100, Fanout: 1})
		}
		c.Groups = append(c.Groups, g)
	}
	rc := route.DefaultConfig(c)
	rc.CacheFor = 0
	router := must(route.New(rc, route.Deps{State: w.state, Now: time.Now, Rand: rand.Float64, Token: claim.NewToken, Log: slog.New(slog.DiscardHandler)}))(t)
	machine := must(claim.NewMachine(claim.Config{
		Store: w.claims, Clock: clock.System{}, Lease: time.Millisecond, TTL: time.Hour, SettleAfter: 0,
		MaxAttempts: 5, StoreTimeout: time.Second, FinishBudget: time.Second,
	}))(t)
	settler := must(settle.New(settle.Config{
		Claims: machine, Lister: w.claims, Letters: w.letters, Publisher: w.topic, Topics: w.topic, Horizon: time.Minute, VerifyTimeout: time.Second, Pages: 1,
	}))(t)
	w.deps = console.Deps{
		Groups: c, Live: w.live, Router: router, State: w.state, Claims: machine, Lister: w.claims, Letters: w.letters, Settler: settler, Audit: w.audit,
		Policy:   must(policy.Parse("policy.yaml", []byte("default: viewer\nroles:\n  operator:\n    emails: ["+operator+"]\n")))(t),
		Identity: operator, Period: time.Minute, Horizon: time.Minute, Facts: []console.Fact{{Name: "Project", Value: "demo-project"}},
		Now: time.Now, Token: claim.NewToken, Log: slog.New(slog.DiscardHandler),
	}
	w.handler = must(console.New(w.deps))(t)
	return w
}

// parked leaves a parked claim with its letter.
func (w *world) parked(key string) string {
	w.t.Helper()
	data := []byte("payload of " + key)
	e := must(w.deps.Claims.Take(w.t.Context(), claim.Request{Handler: "relay", Key: key, Policy: claim.AtMostOnce, PayloadHash: claim.PayloadHash(data), Subject: "order " + key, Summary: "restart"}))(w.t)
	if err := e.Hold.Park(w.t.Context(), "indeterminate", fmt.Errorf("no answer for %s", key)); err != nil {
		w.t.Fatal(err)
	}
	id := claim.ID("relay", key)
	w.put(letter.Letter{ID: letter.ID(id, 1), Key: key, Handler: "relay", Reason: letter.IndeterminateBy, Attempts: 1, Epoch: 1,
		Topic: "projects/demo-project/topics/relay-events", Data: data, PayloadHash: claim.PayloadHash(data), PublishedAt: time.Now()})
	wait.Until(w.t, time.Second, "the lease is over", func() bool {
		s, err := w.deps.Claims.Look(w.t.Context(), id)
		return err == nil && w.deps.Claims.MayRetry(s) == nil
	})
	return id
}

func (w *world) put(l letter.Letter) {
	w.t.Helper()
	if err := w.letters.Put(w.t.Context(), l); err != nil {
		w.t.Fatal(err)
	}
}

// dead leaves a letter whose claim is DEAD.
func (w *world) dead(key string) string {
	w.t.Helper()
	data := []byte("payload of " + key)
	e := must(w.deps.Claims.Take(w.t.Context(), claim.Request{Handler: "relay", Key: key, Policy: claim.AtLeastOnce, PayloadHash: claim.PayloadHash(data)}))(w.t)
	id := letter.ID(claim.ID("relay", key), 1)
	w.put(letter.Letter{ID: id, Key: key, Handler: "relay", Reason: letter.Permanent, Attempts: 1, Epoch: 1, Data: data, PayloadHash: claim.PayloadHash(data),
		Topic: "projects/demo-project/topics/relay-events", Attributes: map[string]string{"order": key}, PublishedAt: time.Now()})
	if err := e.Hold.Kill(w.t.Context(), letter.Permanent, fmt.Errorf("refused")); err != nil {
		w.t.Fatal(err)
	}
	return id
}

// request is one from this machine, as a browser sends it.
func (w *world) request(method, path, body string) *http.Request {
	r := httptest.NewRequestWithContext(w.t.Context(), method, "http://localhost"+path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:40000"
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if strings.HasPrefix(path, "/api/") {
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Idempotency-Key", claim.NewToken())
		}
	}
	return r
}

func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	return rec
}

func (w *world) get(path string) *httptest.ResponseRecorder {
	w.t.Helper()
	return serve(w.handler, w.request(http.MethodGet, path, ""))
}

var hidden = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)

// form reads the hidden fields of the form with that action from a page.
func (w *world) form(page, action string) url.Values {
	w.t.Helper()
	_, rest, ok := strings.Cut(w.get(page).Body.String(), `action="`+strings.Repeat("../", strings.Count(page, "/")-1)+action+`"`)
	if !ok {
		w.t.Fatalf("page %s has no form for %s", page, action)
	}
	text, _, _ := strings.Cut(rest, "</form>")
	v := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(text, -1) {
		v.Set(m[1], m[2])
	}
	return v
}

func (w *world) post(path string, v url.Values) *httptest.ResponseRecorder {
	w.t.Helper()
	return serve(w.handler, w.request(http.MethodPost, path, v.Encode()))
}

// entries is the audit log, oldest first, in words.
func (w *world) entries() (out []string) {
	w.t.Helper()
	all, _, err := w.audit.List(w.t.Context(), "", 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	for i := len(all) - 1; i >= 0; i-- {
		out = append(out, fmt.Sprintf("%s %s: %s", all[i].Action, all[i].Target, all[i].Outcome))
	}
	return out
}

func (w *world) claim(id string) claim.Stored {
	w.t.Helper()
	return must(w.claims.Get(w.t.Context(), id))(w.t)
}
