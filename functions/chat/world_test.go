package chat_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"onceway.internal/functions/chat"
	"onceway.internal/shared/audit"
	"onceway.internal/shared/audit/memaudit"
	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/group"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/chatops/proposal"
	"onceway.internal/shared/chatops/reply"
	"onceway.internal/shared/chatops/webhook"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/groups/memgroups"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
	"onceway.internal/shared/route"
)

const policyFile = `
default: viewer
roles:
  operator:
    emails: [ann@acme.example]
    spaces: [spaces/BBBBincident]
confirm: [%s]
`

// world is the handler with everything around it: real claims, groups, audit log
// and HTTP; only time and the other ends are the test's.
type world struct {
	*chat.Handler
	runner  *once.Runner
	claims  *memclaim.Store
	machine *claim.Machine
	book    *groups.Book
	audit   *memaudit.Log
	api     *chatAPI
	hook    *hook
	letters *letters
	logs    *buffer
}

type options struct {
	confirm  string            // commands that ask first
	commands []chatops.Command // beside those of groups and webhooks
	audit    func(audit.Log) audit.Log
	clock    clock.Clock
	lease    time.Duration
}

func newWorld(t *testing.T, o options) *world {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if o.clock == nil {
		o.clock = clock.System{}
	}
	if o.lease == 0 {
		o.lease = 10 * time.Second
	}
	w := &world{api: newChatAPI(t), hook: newHook(t), letters: &letters{}, logs: &buffer{}}
	now := func() time.Time { return time.Now() }
	log := slog.New(slog.NewJSONHandler(w.logs, nil))
	var err error
	w.audit, err = memaudit.New(100)
	must(err)
	w.claims, err = memclaim.New(1000, now)
	must(err)
	w.machine, err = claim.NewMachine(claim.Config{
		Store: w.claims, Clock: clock.System{}, Lease: o.lease, TTL: time.Hour, MaxAttempts: 5,
		StoreTimeout: time.Second, FinishBudget: time.Second,
	})
	must(err)
	w.runner, err = once.NewRunner(once.Config{
		Claims: w.machine, DeadLetters: w.letters, Clock: clock.System{}, Log: log, HandlerTimeout: o.lease / 2,
		PublishTimeout: time.Second, WaitPoll: 5 * time.Millisecond, WaitBound: 5 * time.Second, Slots: 8, Lifetime: t.Context(),
	})
	must(err)
	config, err := groups.Load("testdata/groups.yaml")
	must(err)
	w.book, err = groups.NewBook(config, memgroups.New(now), audit.Changes{Log: w.audit, Via: audit.Chat, Now: now})
	must(err)
	about, err := group.Commands(group.Config{Groups: config, Book: group.BookOf(w.book), View: view{w.book}})
	must(err)
	tools, err := webhook.Parse("tools.yaml", fmt.Appendf(nil, toolsFile, w.hook.URL, w.hook.URL, w.hook.URL))
	must(err)
	hooks, err := webhook.Commands(tools, nil)
	must(err)
	set, err := chatops.NewSet(time.UTC, append(append(about, hooks...), o.commands...)...)
	must(err)
	rules, err := policy.Parse("policy.yaml", fmt.Appendf(nil, policyFile, o.confirm))
	must(err)
	replies, err := reply.New(reply.Config{URL: w.api.URL, HTTP: &http.Client{}, Clock: o.clock, Budget: time.Second})
	must(err)
	proposals, err := proposal.New(w.claims, now, time.Hour)
	must(err)
	var auditing audit.Log = w.audit
	if o.audit != nil {
		auditing = o.audit(w.audit)
	}
	w.Handler, err = chat.New(chat.Config{
		Commands: set, AppCommands: tools.AppCommands, Policy: rules, Replies: replies, Proposals: proposals,
		Audit: auditing, Log: log, Clock: o.clock, WorkingAfter: time.Minute,
	})
	must(err)
	return w
}

const toolsFile = `
appCommands:
  "7": groups
tools:
  - {name: purge-cache, words: purge cache, arguments: [region], url: %s, destructive: false, allow: [127.0.0.0/8]}
  - {name: restart-docker, words: restart docker, arguments: [host], url: %s, destructive: true, allow: [127.0.0.0/8]}
  - {name: lookup, words: lookup, url: %s, destructive: false, role: viewer, allow: [127.0.0.0/8]}
`

// view shows the live state as the router would, without any figures.
type view struct{ book *groups.Book }

func (v view) View(ctx context.Context) (route.View, error) {
	live, err := v.book.Load(ctx)
	return route.View{At: live.ReadAt, Mode: route.ModeDrain, Live: live}, err
}

type letters struct {
	mu  sync.Mutex
	all []letter.Letter
}

func (l *letters) Publish(_ context.Context, got letter.Letter) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, got)
	return nil
}

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func payload(t testing.TB, name string) *envelope.Message {
	t.Helper()
	data, err := os.ReadFile("../../test/payloads/chat/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return message(data)
}

var published = time.Date(2026, 11, 30, 13, 0, 0, 0, time.UTC)

func message(data []byte) *envelope.Message {
	m, err := envelope.FromPulled(envelope.Pulled{
		ID: "m-" + claim.PayloadHash(data)[:8], Data: data, PublishTime: published,
		Subscription: "projects/demo-project/subscriptions/chat",
	})
	if err != nil {
		panic(err)
	}
	return m
}

// said is a message in words, by ann unless somebody else is named.
func said(text, space, email string) *envelope.Message {
	id := claim.PayloadHash([]byte(text + space + email))[:12]
	return message(fmt.Appendf(nil, `{"type":"MESSAGE","eventTime":"2026-11-30T13:00:00Z","user":{"name":"users/1","email":%q,"type":"HUMAN"},
		"space":{"name":%q},"message":{"name":"%s/messages/%s","createTime":"2026-11-30T13:00:00Z","text":%q,"argumentText":%q,
		"thread":{"name":"%s/threads/t"}}}`, email, space, space, id, text, text, space))
}

const (
	ann   = "ann@acme.example"
	vic   = "vic@acme.example"
	room  = "spaces/AAAAops"
	where = room + "/threads/t"
)

func (w *world) deliver(t *testing.T, m *envelope.Message) once.Report {
	t.Helper()
	return w.runner.Deliver(t.Context(), w.Handler, m)
}

// actions lists what was audited, oldest first: "reserve dg02 started by ann@…".
func (w *world) actions(t *testing.T) []string {
	t.Helper()
	entries, _, err := w.audit.List(t.Context(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		all = append(all, fmt.Sprintf("%s %s: %s by %s", e.Action, e.Target, e.Outcome, e.Actor))
	}
	return all
}

var errDown = errors.New("the log is down")

// deafAudit takes nothing.
type deafAudit struct{ audit.Log }

func (deafAudit) Record(context.Context, audit.Entry) error { return errDown }
