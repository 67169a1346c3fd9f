//go:build controlplane

package chat_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/deployment"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
	"onceway.internal/shared/publish"
	"onceway.internal/shared/settle"
	"onceway.internal/test/controlplane/cluster"
	"onceway.internal/test/wait"
)

// crash breaks commands off: before the patch, or after it, as a lost process does.
type crash struct {
	mu   sync.Mutex
	when string
}

func (c *crash) at(when string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.when = when
}

func (c *crash) now(when string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.when == when
}

// around makes commands break off.
func (c *crash) around(commands []chatops.Command) []chatops.Command {
	for i := range commands {
		parse := commands[i].Parse
		commands[i].Parse = func(a chatops.Args) (chatops.Call, error) {
			call, err := parse(a)
			do := call.Do
			call.Do = func(ctx context.Context, op chatops.Operation) (string, error) {
				begin := op.Begin
				op.Begin = func(ctx context.Context) (context.Context, error) {
					ctx, err := begin(ctx)
					if c.now("before") {
						panic("lost before the patch")
					}
					return ctx, err
				}
				text, err := do(ctx, op)
				if c.now("after") {
					panic("lost after the patch")
				}
				return text, err
			}
			return call, err
		}
	}
	return commands
}

// field reads a field of shop/payments.
func field(t *testing.T, c *cluster.Cluster, path string) string {
	t.Helper()
	return strings.TrimSpace(c.Kubectl(t, "get", "deployment", "payments", "-n", "shop", "-o", "jsonpath={"+path+"}"))
}

func generation(t *testing.T, c *cluster.Cluster) int {
	t.Helper()
	n, err := strconv.Atoi(field(t, c, ".metadata.generation"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestOnARealControlPlane changes a real Deployment with no more rights than
// infra/chat-rbac.yaml gives.
func TestOnARealControlPlane(t *testing.T) {
	c := cluster.Start(t)
	c.Kubectl(t, "create", "namespace", "shop")
	manifest, err := os.ReadFile("../../infra/chat-rbac.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c.Apply(t, "", string(manifest))
	c.Kubectl(t, "create", "deployment", "payments", "--image=example.test/payments:1", "--replicas=2", "-n", "shop")
	kubeconfig, err := c.AccountKubeconfig(t.Context(), "onceway", "onceway-chat")
	if err != nil {
		t.Fatal(err)
	}
	client, err := deployment.Connect(deployment.Target{Kubeconfig: kubeconfig})
	if err != nil {
		t.Fatal(err)
	}
	commands, err := deployment.Commands(deployment.Tool{Client: client, Now: time.Now, Clock: clock.System{}})
	if err != nil {
		t.Fatal(err)
	}
	broken := &crash{}
	w := newWorld(t, options{commands: broken.around(commands), lease: 10 * time.Second})
	revision := func(want string) {
		t.Helper()
		wait.Until(t, 30*time.Second, "revision "+want, func() bool {
			return field(t, c, ".metadata.annotations.deployment\\.kubernetes\\.io/revision") == want
		})
	}
	revision("1")

	repeat := func(line string) {
		t.Helper()
		before := generation(t, c)
		m := said(line, room, ann)
		for i := range 3 {
			if rep := w.deliver(t, m); !rep.Outcome.Ack() || i == 0 && rep.Outcome != once.Done {
				t.Fatalf("%q: %v %v", line, rep.Outcome, rep.Err)
			}
		}
		if after := generation(t, c); after != before+1 {
			t.Errorf("%q went from generation %d to %d; %v", line, before, after, w.api.posted())
		}
	}
	repeat("restart deployment shop/payments")
	revision("2")
	repeat("scale deployment shop/payments 5")
	if got := field(t, c, ".spec.replicas"); got != "5" {
		t.Errorf("%s replicas, want 5", got)
	}
	c.Kubectl(t, "set", "image", "deployment/payments", "payments=example.test/payments:2", "-n", "shop")
	revision("3")
	repeat("rollback deployment shop/payments to 1")
	revision("4")
	if got := field(t, c, ".spec.template.spec.containers[0].image"); got != "example.test/payments:1" {
		t.Errorf("rolled back to %s", got)
	}

	s := newSettling(t, w)
	for _, line := range []string{"restart deployment shop/payments", "scale deployment shop/payments 3", "rollback deployment shop/payments to 3"} {
		s.breakOff(t, c, broken, "after", line)
	}
	s.breakOff(t, c, broken, "before", "restart deployment shop/payments")

	rep := w.deliver(t, said("restart deployment kube-system/coredns", room, ann))
	posted := w.api.posted()
	if last := posted[len(posted)-1].Text; rep.Outcome != once.Done || !strings.Contains(last, "does not let me") {
		t.Errorf("a namespace without a binding: %v, %q", rep.Outcome, last)
	}
}

// settling is what ends claims that broke off.
type settling struct {
	*settle.Settler
	w       *world
	stored  *memclaim.Letters
	outbox  chan *envelope.Message
	counted int
}

func newSettling(t *testing.T, w *world) *settling {
	t.Helper()
	s := &settling{w: w, outbox: make(chan *envelope.Message, 10)}
	var err error
	if s.stored, err = memclaim.NewLetters(100, time.Now); err != nil {
		t.Fatal(err)
	}
	s.Settler, err = settle.New(settle.Config{
		Claims: w.machine, Lister: w.claims, Letters: s.stored, Publisher: s, Topics: s,
		Verifiers: []once.Verifier{w.Handler}, Horizon: time.Hour, VerifyTimeout: 5 * time.Second, Pages: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *settling) TopicOf(context.Context, string) (string, error) {
	return "projects/demo-project/topics/chat", nil
}

// Publish brings an event back, as its topic would.
func (s *settling) Publish(_ context.Context, _ string, m publish.Message) (string, error) {
	s.counted++
	id := fmt.Sprint("again-", s.counted)
	got, err := envelope.FromPulled(envelope.Pulled{ID: id, Data: m.Data, Attributes: maps.Clone(m.Attributes), PublishTime: time.Now()})
	if err != nil {
		return "", err
	}
	s.outbox <- got
	return id, nil
}

// breakOff loses the process around a command's patch, and lets Verify settle what
// it left: the Deployment changes once.
func (s *settling) breakOff(t *testing.T, c *cluster.Cluster, broken *crash, when, line string) {
	t.Helper()
	before := generation(t, c)
	m := said(line, room, ann)
	at := time.Now().Add(5 * time.Minute).UTC().Format(time.RFC3339) // after the list was begun, whatever the margin
	m = message([]byte(strings.ReplaceAll(strings.ReplaceAll(string(m.Data), "2026-11-30T13:00:00Z", at), "/messages/", "/messages/"+when)))
	broken.at(when)
	rep := s.w.deliver(t, m)
	broken.at("")
	if rep.Outcome != once.Parked {
		t.Fatalf("%s %q: %v %v", when, line, rep.Outcome, rep.Err)
	}
	s.w.letters.mu.Lock()
	parked := s.w.letters.all[len(s.w.letters.all)-1]
	s.w.letters.mu.Unlock()
	if parked.ID == "" {
		parked.ID = letter.ID(rep.ClaimID, rep.Epoch)
	}
	if err := s.stored.Put(t.Context(), parked); err != nil {
		t.Fatal(err)
	}
	want := map[string]claim.State{"after": claim.Done, "before": claim.Retry}[when]
	wait.Until(t, time.Minute, "Verify settles "+line, func() bool {
		if _, err := s.Sweep(t.Context()); err != nil {
			t.Logf("sweep: %v", err)
		}
		got, err := s.w.claims.Get(t.Context(), rep.ClaimID)
		return err == nil && got.State == want
	})
	if when == "before" {
		if again := s.w.deliver(t, <-s.outbox); again.Outcome != once.Done {
			t.Errorf("%q again: %v %v", line, again.Outcome, again.Err)
		}
	}
	if again := s.w.deliver(t, m); again.Outcome != once.Duplicate {
		t.Errorf("%q redelivered: %v %v", line, again.Outcome, again.Err)
	}
	if after := generation(t, c); after != before+1 {
		t.Errorf("%s %q: from generation %d to %d", when, line, before, after)
	}
}
