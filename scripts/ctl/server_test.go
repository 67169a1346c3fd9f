package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/functions/table"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/setting"
	"onceway.internal/test/local"
	"onceway.internal/test/wait"
)

// desk is a console over memory stores and an in-memory Pub/Sub, with something to
// settle.
type desk struct {
	t        *testing.T
	app      *table.App
	url      string
	parked   string // claim
	dead     string // letter
	failures atomic.Int32
}

const events = "projects/demo-project/topics/events"

func newDesk(t *testing.T) *desk {
	t.Helper()
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(policy, []byte("default: viewer\nroles:\n  operator:\n    emails: [oncall@acme.example]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"GOOGLE_CLOUD_PROJECT": "demo-project", "ONCEWAY_CLAIMS": "memory", "ONCEWAY_STATE": "memory", "ONCEWAY_LOCAL": "true", "ONCEWAY_HOST": "127.0.0.1",
		"ONCEWAY_GROUPS": "../../infra/groups.yaml", "ONCEWAY_CHAT_POLICY": policy, "ONCEWAY_CONSOLE_IDENTITY": "oncall@acme.example",
		"ONCEWAY_LEASE": "1ms", "ONCEWAY_SETTLE_AFTER": "0s",
	}
	c, err := setting.Load(t.Context(), func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t}
	if d.app, err = table.NewApp(t.Context(), c, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	d.pubsub()
	e, _ := table.Find("Console")
	h := d.app.Handler(e)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.failures.Add(-1) >= 0 { // the change is made, and the answer lost
			h.ServeHTTP(httptest.NewRecorder(), r)
			http.Error(w, "lost", http.StatusBadGateway)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	d.url = server.URL
	d.seed()
	return d
}

func (d *desk) pubsub() {
	d.t.Helper()
	broker, err := local.Start(local.Config{})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(broker.Close)
	client, err := pubsub.NewClient(d.t.Context(), "demo-project", option.WithEndpoint(broker.Addr()), option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())), option.WithTelemetryDisabled())
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := client.TopicAdminClient.CreateTopic(d.t.Context(), &pubsubpb.Topic{Name: events}); err != nil {
		d.t.Fatal(err)
	}
	d.app.UsePubSub(client)
	d.t.Cleanup(func() { _ = d.app.Close() })
}

func (d *desk) seed() {
	d.t.Helper()
	ctx := d.t.Context()
	m, err := d.app.Claims(ctx)
	if err != nil {
		d.t.Fatal(err)
	}
	letters, err := d.app.Letters(ctx)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, key := range []string{"parked", "dead"} {
		data := []byte("body of " + key)
		e, err := m.Take(ctx, claim.Request{Handler: "relay", Key: key, Policy: claim.AtMostOnce, PayloadHash: claim.PayloadHash(data), Subject: "order " + key, Bury: key == "dead"})
		if err != nil {
			d.t.Fatal(err)
		}
		id := claim.ID("relay", key)
		err = letters.Put(ctx, letter.Letter{ID: letter.ID(id, 1), Handler: "relay", Key: key, Reason: "permanent", Epoch: 1, Topic: events, Data: data, PayloadHash: claim.PayloadHash(data), PublishedAt: time.Now()})
		if key == "dead" {
			d.dead = letter.ID(id, 1)
			err = errors.Join(err, e.Hold.Kill(ctx, "permanent", nil))
		} else {
			d.parked = id
			err = errors.Join(err, e.Hold.Park(ctx, "indeterminate", nil))
		}
		if err != nil {
			d.t.Fatal(err)
		}
	}
	wait.Until(d.t, time.Second, "the lease is over", func() bool {
		s, err := m.Look(ctx, d.parked)
		return err == nil && m.MayRetry(s) == nil
	})
}

// ctl runs a command line against the console.
func (d *desk) ctl(args ...string) (status int, out, errs string) {
	d.t.Helper()
	var o, e bytes.Buffer
	status = run(d.t.Context(), append([]string{"--server", d.url}, args...), func(string) (string, bool) { return "", false }, strings.NewReader("y\n"), &o, &e)
	return status, o.String(), e.String()
}

func TestEveryCommandGoesThroughTheConsole(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, tc := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"groups"}, 0, "dg06"},
		{[]string{"reserve", "dg02", "acme", "globex", "--until", "4h", "--yes"}, 0, "changed"},
		{[]string{"groups"}, 0, "acme, globex until"},
		{[]string{"reserve", "dg02", "other"}, exitRefused, "reserved for other customers"},
		{[]string{"release", "dg02"}, 0, "As oncall@acme.example: End the reservation of dg02?"},
		{[]string{"release", "dg02"}, exitRefused, "nothing to release"},
		{[]string{"drain", "dg01", "--why", "moving"}, 0, "changed"},
		{[]string{"undrain", "dg01"}, 0, "changed"},
		{[]string{"drain", "dg99"}, exitRefused, "no such group"},
		{[]string{"score", "--dry-run", "--customer", "acme"}, 0, "reason"},
		{[]string{"claims", "list"}, 0, "INDETERMINATE"},
		{[]string{"claims", "list", "--state", "DONE"}, 0, "ID"},
		{[]string{"claims", "show", d.parked[:12]}, 0, "order parked"},
		{[]string{"claims", "show", "--handler", "relay", "--key", "parked"}, 0, "trace"},
		{[]string{"claims", "show", "ffffffffff"}, exitRefused, "none that needs a person"},
		{[]string{"deadletters", "list"}, 0, d.dead},
		{[]string{"deadletters", "show", d.dead, "--body"}, 0, "body of dead"},
		{[]string{"claims", "resolve", d.parked, "--done", "--why", "seen"}, 0, "settled"},
		{[]string{"claims", "resolve", d.parked, "--retry"}, exitRefused, "another state"},
		{[]string{"deadletters", "replay", d.dead}, 0, "published again"},
		{[]string{"deadletters", "drop", d.dead}, exitRefused, "no such letter"},
		{[]string{"doctor"}, exitUsage, "leave --server"},
	} {
		status, out, errs := d.ctl(tc.args...)
		if status != tc.status || !strings.Contains(out+errs, tc.says) {
			t.Errorf("%v: status %d, want %d with %q:\n%s%s", tc.args, status, tc.status, tc.says, out, errs)
		}
	}
}

func TestJSONIsTheConsolesOwn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	_, out, _ := d.ctl("-o", "json", "claims", "show", d.parked)
	var c struct{ ID, State, Letter string }
	if err := json.Unmarshal([]byte(out), &c); err != nil || c.ID != d.parked || c.State != "INDETERMINATE" || c.Letter == "" {
		t.Errorf("%v: %s", err, out)
	}
}

// An answer that was lost is asked for again under the same key: the act is one.
func TestALostAnswerIsAskedForAgainAndActsOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s := &server{base: mustURL(t, d.url+"/api/v1"), client: http.DefaultClient, pause: time.Millisecond}
	d.failures.Store(2)
	if err := s.post(t.Context(), "groups/dg03/drain", map[string]any{"why": "once"}); err != nil {
		t.Fatal(err)
	}
	_, out, _ := d.ctl("-o", "json", "groups")
	if !strings.Contains(out, `"note": "once"`) {
		t.Errorf("not drained: %s", out)
	}
	log, err := d.app.Audit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if all, _, err := log.List(t.Context(), "", 10); err != nil || len(all) != 2 {
		t.Errorf("%d audit entries, want a beginning and an end (%v)", len(all), err)
	}
}

func TestAnIdentityTokenGoesAlongOverHTTPSAlone(t *testing.T) {
	t.Parallel()
	var got atomic.Value
	proxy := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Store(r.Header.Get("Authorization"))
		fmt.Fprint(w, `{}`)
	}))
	t.Cleanup(proxy.Close)
	s := &server{base: mustURL(t, proxy.URL), client: proxy.Client(), token: "id-token"}
	if err := s.get(t.Context(), new(struct{}), "groups"); err != nil || got.Load() != "Bearer id-token" {
		t.Errorf("sent %q (%v)", got.Load(), err)
	}
	var errs bytes.Buffer
	token := func(name string) (string, bool) { return "id-token", name == "ONCEWAY_ID_TOKEN" }
	if status := run(t.Context(), []string{"--server", "http://console.acme.example", "groups"}, token, nil, &errs, &errs); status != exitUsage || strings.Contains(errs.String(), "id-token") {
		t.Errorf("over http: status %d, %s", status, errs.String())
	}
}

func mustURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
