package once_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/claimtest"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
)

const subscription = "projects/demo-project/subscriptions/events"

// topic is a dead-letter topic that can fail.
type topic struct {
	mu      sync.Mutex
	err     error
	letters []letter.Letter
}

func (d *topic) Publish(_ context.Context, l letter.Letter) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return d.err
	}
	d.letters = append(d.letters, l)
	return nil
}

func (d *topic) reasons() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := []string{}
	for _, l := range d.letters {
		out = append(out, l.Reason)
	}
	return out
}

// bench is a runner over the memory store with everything around it in sight. In a
// synctest bubble its time is the bubble's.
type bench struct {
	mem    *memclaim.Store
	store  *claimtest.FaultyStore
	topic  *topic
	log    *lines
	claims *claim.Machine
	runner *once.Runner
}

// lines collects the log.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newBench(t *testing.T, change ...func(*claim.Config, *once.Config)) *bench {
	t.Helper()
	mem, err := memclaim.New(100, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{mem: mem, store: claimtest.Faulty(mem), topic: &topic{}, log: &lines{}}
	cc := claim.Config{
		Store: b.store, Clock: clock.System{}, Lease: time.Minute, TTL: 24 * time.Hour,
		SettleAfter: 5 * time.Minute, MaxAttempts: 3, StoreTimeout: 5 * time.Second, FinishBudget: 10 * time.Second,
	}
	oc := once.Config{
		DeadLetters: b.topic, Clock: clock.System{}, Log: slog.New(slog.NewJSONHandler(b.log, nil)),
		HandlerTimeout: 30 * time.Second, Margin: time.Second, PublishTimeout: 10 * time.Second,
		WaitBound: 20 * time.Second, WaitPoll: time.Second, Slots: 4, Lifetime: t.Context(),
	}
	for _, f := range change {
		f(&cc, &oc)
	}
	if b.claims, err = claim.NewMachine(cc); err != nil {
		t.Fatal(err)
	}
	oc.Claims = b.claims
	if b.runner, err = once.NewRunner(oc); err != nil {
		t.Fatal(err)
	}
	return b
}

// stored is the claim of the handler's event as it stands.
func (b *bench) stored(t *testing.T) claim.Stored {
	t.Helper()
	s, err := b.mem.Get(context.Background(), claim.ID("restart", "k1"))
	if err != nil {
		t.Fatalf("get claim: %v", err)
	}
	return s
}

// work is a handler that counts its runs.
type work struct {
	policy claim.Policy
	plan   func(*envelope.Message) (once.Plan, error)
	run    func(context.Context, *once.Delivery) error
	runs   atomic.Int64
}

func (*work) Name() string { return "restart" }

func (h *work) Plan(m *envelope.Message) (once.Plan, error) {
	if h.plan != nil {
		return h.plan(m)
	}
	return once.Plan{Key: "k1", Policy: h.policy, Subject: "deployment payments", Summary: "restart"}, nil
}

func (h *work) Run(ctx context.Context, d *once.Delivery) error {
	h.runs.Add(1)
	if h.run == nil {
		return nil
	}
	return h.run(ctx, d)
}

func message(t *testing.T, data string, attributes map[string]string) *envelope.Message {
	t.Helper()
	m, err := envelope.FromPulled(envelope.Pulled{
		ID: "m1", Data: []byte(data), Attributes: attributes, Subscription: subscription, DeliveryAttempt: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// bubble runs a test on a clock of its own, on which nothing waits for real.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

func outcome(t *testing.T, rep once.Report, want once.Outcome) {
	t.Helper()
	if rep.Outcome != want {
		t.Errorf("outcome %q (%v), want %q", rep.Outcome, rep.Err, want)
	}
}

var errBroken = errors.New("broken")

// pass lets time pass in a bubble.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // in a synctest bubble nothing waits for real
}
