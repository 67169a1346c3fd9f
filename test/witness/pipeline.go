package witness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/pubsub/v2"
)

// keyAttribute and reasonAttribute are documented names: the first travels with
// every message that onceway publishes, the second with every dead letter.
const (
	keyAttribute    = "onceway-key"
	reasonAttribute = "onceway-reason"
)

// WarmUp begins the keys of messages that are no part of a campaign: they only make
// a queue known to Monitoring.
const WarmUp = "warm-up/"

// Stage is one queue of a group, and how fast its workers are.
type Stage struct {
	Topic, Subscription string  // full names
	Rate                float64 // messages a second
}

// Pipeline stands in for the workers of one group: each stage takes messages at its
// rate and publishes them to the next; the first records what arrives.
type Pipeline struct {
	group   string
	client  *pubsub.Client
	ledger  *Ledger
	stages  []Stage
	seen    sync.Map // message IDs of the first stage
	through atomic.Int64
}

// NewPipeline returns a pipeline that records in ledger as the given group.
func NewPipeline(group string, client *pubsub.Client, ledger *Ledger, stages []Stage) (*Pipeline, error) {
	var errs []error
	if group == "" || client == nil || ledger == nil || len(stages) == 0 {
		errs = append(errs, errors.New("a pipeline needs a group, a client, a ledger and stages"))
	}
	for _, s := range stages {
		if s.Rate <= 0 {
			errs = append(errs, fmt.Errorf("stage %s: rate %v is not positive", s.Subscription, s.Rate))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &Pipeline{group: group, client: client, ledger: ledger, stages: stages}, nil
}

// Through is how many messages left the last stage.
func (p *Pipeline) Through() int64 { return p.through.Load() }

// Run works until ctx ends, which is no error.
func (p *Pipeline) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, len(p.stages))
	for i := range p.stages {
		go func() {
			ended <- p.stage(ctx, i)
			cancel()
		}()
	}
	var errs []error
	for range p.stages {
		errs = append(errs, <-ended)
	}
	return errors.Join(errs...)
}

func (p *Pipeline) stage(ctx context.Context, i int) error {
	stage := p.stages[i]
	var next *pubsub.Publisher
	if i+1 < len(p.stages) {
		next = p.client.Publisher(p.stages[i+1].Topic)
		defer next.Stop()
	}
	pace := &pace{gap: time.Duration(float64(time.Second) / stage.Rate)}
	subscriber := p.client.Subscriber(stage.Subscription)
	// Few in hand: what waits should wait in Pub/Sub, where it counts as backlog.
	subscriber.ReceiveSettings = pubsub.ReceiveSettings{
		MaxOutstandingMessages: max(2, int(stage.Rate/5)), MaxOutstandingBytes: maxBody, NumGoroutines: 1,
		MaxExtension: time.Minute,
	}
	err := subscriber.Receive(ctx, func(ctx context.Context, m *pubsub.Message) {
		if !pace.wait(ctx) {
			m.Nack()
			return
		}
		if i == 0 {
			p.record(m)
		}
		if next == nil {
			p.through.Add(1)
		} else if _, err := next.Publish(ctx, &pubsub.Message{Data: m.Data, Attributes: maps.Clone(m.Attributes)}).Get(ctx); err != nil {
			m.Nack()
			return
		}
		m.Ack()
	})
	if err != nil {
		return fmt.Errorf("pull %s: %w", stage.Subscription, err)
	}
	return nil
}

// record counts a message once, however often Pub/Sub delivers it here.
func (p *Pipeline) record(m *pubsub.Message) {
	if _, again := p.seen.LoadOrStore(m.ID, true); again {
		return
	}
	key := m.Attributes[keyAttribute]
	if strings.HasPrefix(key, WarmUp) {
		return
	}
	p.ledger.Saw(Act{Event: Identify(key, string(m.Data)), Channel: Queue, Unit: key, Operation: key, Group: p.group})
}

// pace hands out turns, one each gap.
type pace struct {
	gap time.Duration

	mu   sync.Mutex
	next time.Time
}

// wait blocks until the caller's turn and reports false when ctx ended first.
func (p *pace) wait(ctx context.Context) bool {
	p.mu.Lock()
	now := time.Now()
	turn := p.next
	if turn.Before(now) {
		turn = now
	}
	p.next = turn.Add(p.gap)
	p.mu.Unlock()
	timer := time.NewTimer(turn.Sub(now))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
