package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/chatops/webhook"
	"onceway.internal/shared/once"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

type tokens struct{ err error }

func (t tokens) Token(_ context.Context, audience string) (string, error) {
	return "token for " + audience, t.err
}

// run makes a set of one tool and runs line, with a Begin that counts.
func run(t *testing.T, tool webhook.Tool, identity webhook.Identity, line string) (text string, begun int, err error) {
	t.Helper()
	if tool.Words == "" {
		tool.Name, tool.Words = "fix", "fix it"
	}
	if tool.Timeout == 0 {
		tool.Timeout = 5 * time.Second
	}
	tool.Role = policy.Operator
	commands, err := webhook.Commands(webhook.File{Tools: []webhook.Tool{tool}}, identity)
	if err != nil {
		t.Fatal(err)
	}
	set, err := chatops.NewSet(time.UTC, commands...)
	if err != nil {
		t.Fatal(err)
	}
	_, call, err := set.Parse(line, time.Now())
	if err != nil {
		return "", 0, err
	}
	text, err = call.Do(t.Context(), chatops.Operation{ID: "op-1", Epoch: 3, Actor: "ann@acme.example", Begin: func(ctx context.Context) (context.Context, error) {
		begun++
		return ctx, nil
	}})
	return text, begun, err
}

func at(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestACallCarriesKeyEpochTokenAndArguments(t *testing.T) {
	t.Parallel()
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b strings.Builder
		_ = r.Write(&b)
		got = b.String()
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		fmt.Fprint(w, `{"text":"fixed <users/all>"}`)
	}))
	defer server.Close()
	tool := webhook.Tool{URL: at(t, server.URL+"/x?secret=1"), Allow: loopback, Audience: "aud", Arguments: []webhook.Argument{{Name: "host"}, {Name: "port", Optional: true}}}
	text, begun, err := run(t, tool, tokens{}, "fix it h1 because it hangs")
	if err != nil || begun != 1 || text != "```\nfixed ‹users/all›\n```" {
		t.Errorf("%q, begun %d, %v", text, begun, err)
	}
	for _, want := range []string{
		"POST /x?secret=1 ", "Idempotency-Key: op-1", "Onceway-Epoch: 3", "Authorization: Bearer token for aud",
		`{"tool":"fix","arguments":{"host":"h1"},"reason":"it hangs","actor":"ann@acme.example","operation":"op-1"}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the request lacks %q:\n%s", want, got)
		}
	}
}

func TestWithoutATokenNothingBegins(t *testing.T) {
	t.Parallel()
	_, begun, err := run(t, webhook.Tool{URL: at(t, "https://tools.acme.example"), Audience: "aud"}, tokens{errors.New("no")}, "fix it")
	if err == nil || begun != 0 {
		t.Errorf("begun %d, %v", begun, err)
	}
	if _, err := webhook.Commands(webhook.File{Tools: []webhook.Tool{{Name: "fix", Audience: "aud"}}}, nil); err == nil {
		t.Error("a tool that wants tokens was made without any")
	}
}

// TestANameThatLeadsToAPrivateAddressIsRefusedWhenItIsDialled uses a name that no
// check of the file's text can judge.
func TestANameThatLeadsToAPrivateAddressIsRefusedWhenItIsDialled(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	defer server.Close()
	name := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	_, _, err := run(t, webhook.Tool{URL: at(t, name)}, nil, "fix it")
	if _, ok := errors.AsType[*chatops.Refusal](err); !ok || calls.Load() != 0 {
		t.Errorf("%v, %d calls", err, calls.Load())
	}
	if _, _, err := run(t, webhook.Tool{URL: at(t, name), Allow: loopback}, nil, "fix it"); err != nil || calls.Load() != 1 {
		t.Errorf("declared: %v, %d calls", err, calls.Load())
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	var stolen atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen.Add(1) }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	if _, _, err := run(t, webhook.Tool{URL: at(t, server.URL), Allow: loopback}, nil, "fix it"); err == nil || stolen.Load() != 0 {
		t.Errorf("%v, %d calls elsewhere", err, stolen.Load())
	}
}

// TestARequestIsNeverRepeatedByTheTransport breaks the connection after the tool
// acted. net/http repeats a request with an Idempotency-Key on a connection that
// it used before.
func TestARequestIsNeverRepeatedByTheTransport(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) > 1 {
			panic(http.ErrAbortHandler)
		}
	}))
	defer server.Close()
	commands, err := webhook.Commands(webhook.File{Tools: []webhook.Tool{{
		Name: "fix", Words: "fix it", URL: at(t, server.URL), Allow: loopback, Timeout: 5 * time.Second, Destructive: true, Role: policy.Operator,
	}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	set, err := chatops.NewSet(time.UTC, commands...)
	if err != nil {
		t.Fatal(err)
	}
	_, call, err := set.Parse("fix it", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	op := chatops.Operation{ID: "op", Begin: func(ctx context.Context) (context.Context, error) { return ctx, nil }}
	if _, err := call.Do(t.Context(), op); err != nil {
		t.Fatal(err)
	}
	_, err = call.Do(t.Context(), op)
	if _, unchanged := errors.AsType[*once.NoEffectError](err); err == nil || unchanged {
		t.Errorf("a broken connection reads as %v", err)
	}
	if n := calls.Load(); n != 2 {
		t.Errorf("%d calls came, want 2", n)
	}
}

func TestATimeOutIsNoProofOfNoEffect(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server see the caller leave
		<-r.Context().Done()
		close(ended)
	}))
	defer server.Close()
	_, _, err := run(t, webhook.Tool{URL: at(t, server.URL+"/?token=secret"), Allow: loopback, Timeout: 100 * time.Millisecond}, nil, "fix it")
	if _, unchanged := errors.AsType[*once.NoEffectError](err); err == nil || unchanged {
		t.Errorf("%v", err)
	}
	if err != nil && strings.Contains(err.Error(), "secret") {
		t.Errorf("the error shows the URL: %v", err)
	}
	<-ended
}

func TestNoConnectionIsProofOfNoEffect(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(nil)
	server.Close()
	_, _, err := run(t, webhook.Tool{URL: at(t, server.URL), Allow: loopback}, nil, "fix it")
	if _, unchanged := errors.AsType[*once.NoEffectError](err); !unchanged {
		t.Errorf("%v", err)
	}
}

func TestVerifyBelievesOnlyClearAnswers(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]once.Answer{200: once.EffectDone, 404: once.EffectNotDone, 204: once.Unknown, 302: once.Unknown, 403: once.Unknown, 500: once.Unknown} {
		var path string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			path = r.URL.Path
			w.WriteHeader(status)
		}))
		commands, err := webhook.Commands(webhook.File{Tools: []webhook.Tool{{
			Name: "fix", Words: "fix it", URL: at(t, server.URL), Verify: server.URL + "/ops/{operation}", Allow: loopback, Timeout: time.Second,
		}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := commands[0].Verify(t.Context(), "fix", "op-1")
		if err != nil || got != want || path != "/ops/op-1" {
			t.Errorf("%d: %v, %v, asked %s", status, got, err, path)
		}
		server.Close()
	}
}
