package chat_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/deployment"
	"onceway.internal/shared/chatops/group"
	"onceway.internal/shared/chatops/parked"
	"onceway.internal/shared/chatops/silence"
	"onceway.internal/shared/chatops/webhook"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/groups"
)

// everything is every command there is, over ends that nobody calls.
func everything(t testing.TB) *chatops.Set {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	u, err := url.Parse("http://127.0.0.1:1")
	must(err)
	client, err := deployment.NewClient(u, http.DefaultClient)
	must(err)
	on, err := deployment.Commands(deployment.Tool{Client: client, Now: time.Now, Clock: clock.System{}})
	must(err)
	quiet, err := silence.Commands(silence.Tool{URL: u, HTTP: http.DefaultClient, Now: time.Now, Timeout: time.Second})
	must(err)
	config, err := groups.Load("testdata/groups.yaml")
	must(err)
	about, err := group.Commands(group.Config{Groups: config, Book: group.BookOf(&groups.Book{}), View: view{}})
	must(err)
	store, err := memclaim.New(1, time.Now)
	must(err)
	left, err := parked.Commands(store)
	must(err)
	tools, err := webhook.Parse("tools.yaml", []byte(`tools: [{name: purge, words: purge cache, arguments: [region, depth?], url: "https://tools.acme.example", destructive: true}]`))
	must(err)
	hooks, err := webhook.Commands(tools, nil)
	must(err)
	set, err := chatops.NewSet(time.UTC, append(append(append(append(on, quiet...), about...), left...), hooks...)...)
	must(err)
	return set
}

// TestHelpOfEveryCommandFitsAPhone also keeps the list complete: a command that
// is there and not in it would be found by nobody.
func TestHelpOfEveryCommandFitsAPhone(t *testing.T) {
	t.Parallel()
	_, call, err := everything(t).Parse("help", published)
	if err != nil {
		t.Fatal(err)
	}
	text, err := call.Do(context.Background(), chatops.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	if len(lines) > 20 {
		t.Errorf("%d lines:\n%s", len(lines), text)
	}
	for _, line := range lines {
		if utf8.RuneCountInString(line) > 40 {
			t.Errorf("%d columns: %q", utf8.RuneCountInString(line), line)
		}
	}
	for _, name := range []string{
		"groups", "claims", "help", "status deployment", "restart deployment", "scale deployment", "rollback deployment",
		"silence", "reserve", "release", "drain", "undrain", "purge cache",
	} {
		if !strings.Contains(text, "\n "+name) {
			t.Errorf("it lacks %q:\n%s", name, text)
		}
	}
}

// FuzzGrammar reads any line: it is understood the same way each time, within
// bounds, or answered with a text that is inert.
func FuzzGrammar(f *testing.F) {
	for _, line := range []string{
		"", "help", "help reserve", "groups", "claims", "restart deployment shop/payments because “it hangs”", "scale deployment a/b to 5",
		"rollback deployment a/b to revision 3", `silence alertname="X Y" sev=~"a|b", for 2h30m because x`, "reserve dg01 for a, b until 2026-12-24 18:30 because c",
		"drain dg02", "purge cache eu 3 because y", "restrat deployment x", "reserve dg01 for 'x", "\u212a \u202e <users/all> `", "until for because",
	} {
		f.Add(line)
	}
	set := everything(f)
	f.Fuzz(func(t *testing.T, line string) {
		c, call, err := set.Parse(line, published)
		if err != nil {
			m, ok := errors.AsType[*chatops.Misunderstood](err)
			if !ok {
				t.Fatalf("%T: %v", err, err)
			}
			if len(m.Text) > 1000 || strings.ContainsAny(m.Text, "<>") || !utf8.ValidString(m.Text) || strings.Count(m.Text, "`")%2 != 0 {
				t.Errorf("the answer is not inert: %q", m.Text)
			}
			return
		}
		again, repeat, err := set.Parse(line, published)
		if err != nil || again.Name != c.Name || repeat.Target != call.Target || repeat.Subject != call.Subject || repeat.Detail != call.Detail {
			t.Errorf("%q is read differently a second time: %v", line, err)
		}
		if call.Do == nil || len(call.Subject) > 400 || len(call.Target) > 400 {
			t.Errorf("%q: no way to do it, or %d bytes of subject, %d of target", line, len(call.Subject), len(call.Target))
		}
		if _, ok := set.Find(c.Name); !ok {
			t.Errorf("%q became %q, which is no command", line, c.Name)
		}
	})
}
