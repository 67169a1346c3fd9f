package settle_test

import (
	"context"
	"errors"
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
	"onceway.internal/shared/publish"
	"onceway.internal/shared/settle"
)

const (
	lease       = time.Minute
	settleAfter = 5 * time.Minute
	horizon     = 30 * time.Minute
	source      = "projects/demo-project/subscriptions/events"
	topicName   = "projects/demo-project/topics/events"
)

var (
	errDown = errors.New("down")
	id      = claim.ID("restart", "k1")
)

// events is the topic that events are published to again.
type events struct {
	err  error
	sent []publish.Message
	to   []string
}

func (e *events) Publish(_ context.Context, topic string, m publish.Message) (string, error) {
	if e.err != nil {
		return "", e.err
	}
	e.sent, e.to = append(e.sent, m), append(e.to, topic)
	return "again", nil
}

func (e *events) TopicOf(_ context.Context, subscription string) (string, error) {
	if subscription != source {
		return "", errDown
	}
	return topicName, nil
}

// letters can refuse to delete.
type letters struct {
	*memclaim.Letters
	err error
}

func (l *letters) Delete(ctx context.Context, id string) error {
	if l.err != nil {
		return l.err
	}
	return l.Letters.Delete(ctx, id)
}

// verifier answers as it is told.
type verifier struct {
	answer once.Answer
	err    error
	asked  []string
	during func()
}

func (*verifier) Name() string                              { return "restart" }
func (*verifier) Plan(*envelope.Message) (once.Plan, error) { return once.Plan{}, nil }
func (*verifier) Run(context.Context, *once.Delivery) error { return nil }
func (v *verifier) Verify(_ context.Context, subject, operationID string) (once.Answer, error) {
	v.asked = append(v.asked, subject+" "+operationID)
	if v.during != nil {
		v.during()
	}
	return v.answer, v.err
}

// bench is a settler over memory stores in a synctest bubble.
type bench struct {
	mem     *memclaim.Store
	store   *claimtest.FaultyStore
	letters *letters
	events  *events
	claims  *claim.Machine
	settler *settle.Settler
}

func newBench(t *testing.T, verifiers ...once.Verifier) *bench {
	t.Helper()
	mem, err := memclaim.New(100, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := memclaim.NewLetters(100, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{mem: mem, store: claimtest.Faulty(mem), letters: &letters{Letters: stored}, events: &events{}}
	b.claims, err = claim.NewMachine(claim.Config{
		Store: b.store, Clock: clock.System{}, Lease: lease, TTL: 24 * time.Hour, SettleAfter: settleAfter,
		MaxAttempts: 3, StoreTimeout: time.Second, FinishBudget: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	b.settler, err = settle.New(settle.Config{
		Claims: b.claims, Lister: mem, Letters: b.letters, Publisher: b.events, Topics: b.events,
		Verifiers: verifiers, Horizon: horizon, VerifyTimeout: time.Second, Pages: 10,
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// pass lets time pass in a bubble.
func pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // in a synctest bubble nothing waits for real
}

// take claims the event.
func (b *bench) take(t *testing.T, p claim.Policy) *claim.Hold {
	t.Helper()
	e, err := b.claims.Take(t.Context(), claim.Request{
		Handler: "restart", Key: "k1", Subject: "deployment payments", Policy: p, PayloadHash: claim.PayloadHash([]byte("p")),
	})
	if err != nil || e.Meeting != claim.Taken {
		t.Fatalf("take: %v, %v", e.Meeting, err)
	}
	return e.Hold
}

// store stores the letter of an epoch.
func (b *bench) keep(t *testing.T, epoch int64, reason string) string {
	t.Helper()
	l := letter.Letter{
		ID: letter.ID(id, epoch), Key: "k1", Handler: "restart", Reason: reason, Epoch: epoch, Source: source,
		Attributes: map[string]string{"colour": "blue"}, Data: []byte("p"), PayloadHash: claim.PayloadHash([]byte("p")),
		PublishedAt: time.Now(),
	}
	if err := b.letters.Put(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	return l.ID
}

// park leaves an at-most-once claim parked, with its letter.
func (b *bench) park(t *testing.T) {
	t.Helper()
	h := b.take(t, claim.AtMostOnce)
	b.keep(t, 1, letter.IndeterminateBy)
	if err := h.Park(t.Context(), letter.IndeterminateBy, errDown); err != nil {
		t.Fatal(err)
	}
}

// bury leaves a dead claim, with its letter.
func (b *bench) bury(t *testing.T) string {
	t.Helper()
	h := b.take(t, claim.AtLeastOnce)
	l := b.keep(t, 1, letter.Permanent)
	if err := h.Kill(t.Context(), letter.Permanent, errDown); err != nil {
		t.Fatal(err)
	}
	return l
}

func (b *bench) state(t *testing.T) claim.State {
	t.Helper()
	return b.stored(t).State
}

func (b *bench) stored(t *testing.T) claim.Stored {
	t.Helper()
	s, err := b.mem.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (b *bench) kept(t *testing.T) int {
	t.Helper()
	all, _, err := b.letters.List(t.Context(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

func (b *bench) sweep(t *testing.T) settle.Summary {
	t.Helper()
	sum, err := b.settler.Sweep(t.Context())
	if err != nil {
		t.Fatalf("sweep: %v", err)
	}
	return sum
}
