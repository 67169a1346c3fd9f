package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"time"

	"cloud.google.com/go/pubsub/v2"
	"golang.org/x/sync/errgroup"

	"onceway.internal/test/witness"
)

// Kinds of sample events.
const (
	relays    = "relay"    // pushed, relayed to a service
	jobs      = "job"      // pulled by workers, relayed to a service
	questions = "ask"      // Chat commands that are answered
	restarts  = "restart"  // Chat commands that call a webhook
	campaigns = "campaign" // batches for the pipeline
	poisons   = "poison"   // what nobody can read
)

// kinds in the order of the table.
var kinds = []string{relays, jobs, questions, restarts, campaigns, poisons}

// sent is a campaign and when its event was taken.
type sent struct {
	name, customer string
	size           int
	at             time.Time
}

// publisher makes the sample traffic.
type publisher struct {
	config config
	client *pubsub.Client
	ledger *witness.Ledger
	// again says whether a message is published twice, where Pub/Sub does not
	// redeliver by itself.
	again func(name string) bool

	mu        sync.Mutex
	rand      *rand.Rand
	campaigns []sent
	topics    map[string]*pubsub.Publisher
}

func newPublisher(c config, client *pubsub.Client, ledger *witness.Ledger, again func(string) bool) *publisher {
	p := &publisher{config: c, client: client, ledger: ledger, again: again,
		rand: rand.New(rand.NewPCG(c.seed, 7)), topics: map[string]*pubsub.Publisher{}}
	for _, topic := range []string{relayTopic, jobTopic, chatTopic, campaignTopic} {
		p.topics[topic] = client.Publisher(c.topic(topic))
		p.topics[topic].PublishSettings.DelayThreshold = time.Millisecond
	}
	return p
}

// run publishes until ctx ends, which is no error.
func (p *publisher) run(ctx context.Context) error {
	t := p.config.traffic
	all, ctx := errgroup.WithContext(ctx)
	for _, kind := range []struct {
		every   time.Duration
		publish func(ctx context.Context, n int) error
	}{
		{t.relayEvery, p.relay}, {t.jobEvery, p.job}, {t.askEvery, p.ask},
		{t.restartEvery, p.restart}, {t.campaignEvery, p.campaign}, {t.poisonEvery, p.poison},
	} {
		all.Go(func() error {
			tick := time.NewTicker(kind.every)
			defer tick.Stop()
			for n := 1; ; n++ {
				select {
				case <-ctx.Done():
					return nil
				case <-tick.C:
				}
				// What was begun is finished: its outcome would be unknown otherwise.
				if err := kind.publish(context.WithoutCancel(ctx), n); err != nil {
					return err
				}
			}
		})
	}
	return all.Wait()
}

func (p *publisher) stop() {
	for _, t := range p.topics {
		t.Stop()
	}
}

func (p *publisher) publish(ctx context.Context, topic string, e witness.Event, m pubsub.Message) error {
	p.ledger.Publishing(e)
	times := 1
	if p.again(e.Name) {
		times = 2
	}
	for range times {
		m := m
		if _, err := p.topics[topic].Publish(ctx, &m).Get(ctx); err != nil {
			return fmt.Errorf("publish %s: %w", e.Name, err)
		}
	}
	return nil
}

func (p *publisher) relay(ctx context.Context, n int) error {
	e := witness.Event{Name: witness.Name(relays, n), Channel: witness.HTTP, Repeatable: true}
	return p.publish(ctx, relayTopic, e, pubsub.Message{Data: document(map[string]any{"order": e.Name, "total": n})})
}

// job carries a key, so that the same job published twice is one.
func (p *publisher) job(ctx context.Context, n int) error {
	e := witness.Event{Name: witness.Name(jobs, n), Channel: witness.HTTP, Repeatable: true}
	return p.publish(ctx, jobTopic, e, pubsub.Message{Data: document(map[string]any{"job": e.Name}), Attributes: map[string]string{"onceway-key": e.Name}})
}

func (p *publisher) ask(ctx context.Context, n int) error {
	e := witness.Event{Name: witness.Name(questions, n), Channel: witness.Chat}
	reserved := p.config.groups[len(p.config.groups)-1]
	words := []string{"groups", "help", "reserve " + reserved.id + " for " + reserved.customer, "groups", "help", "release " + reserved.id}
	return p.publish(ctx, chatTopic, e, pubsub.Message{Data: said(e.Name, words[n%len(words)])})
}

func (p *publisher) restart(ctx context.Context, n int) error {
	e := witness.Event{Name: witness.Name(restarts, n), Channel: witness.HTTP}
	return p.publish(ctx, chatTopic, e, pubsub.Message{Data: said(e.Name, "restart payments "+e.Name)})
}

func (p *publisher) campaign(ctx context.Context, n int) error {
	s := p.draw(n)
	messages := make([]map[string]int, s.size)
	for i := range messages {
		messages[i] = map[string]int{"to": i}
	}
	e := witness.Event{Name: s.name, Channel: witness.Queue, Repeatable: true, Units: s.size}
	data := document(map[string]any{"campaign": s.name, "customer": s.customer, "messages": messages})
	s.at = time.Now()
	p.mu.Lock()
	p.campaigns = append(p.campaigns, s)
	p.mu.Unlock()
	return p.publish(ctx, campaignTopic, e, pubsub.Message{Data: data})
}

// draw makes a campaign up: mostly small, every eighth large, every sixth for the
// customer that has a group of its own.
func (p *publisher) draw(n int) sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := sent{name: witness.Name(campaigns, n), customer: "acme", size: 1 + p.rand.IntN(p.config.traffic.small)}
	if n%8 == 0 {
		s.size = p.config.traffic.large/2 + p.rand.IntN(p.config.traffic.large/2)
	}
	if n%6 == 0 {
		s.customer = p.config.groups[len(p.config.groups)-1].customer
	}
	return s
}

// sentCampaigns answers with what was published so far.
func (p *publisher) sentCampaigns() []sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]sent(nil), p.campaigns...)
}

func (p *publisher) poison(ctx context.Context, n int) error {
	e := witness.Event{Name: witness.Name(poisons, n), Channel: witness.Queue}
	return p.publish(ctx, campaignTopic, e, pubsub.Message{Data: []byte("no campaign: " + e.Name)})
}

func document(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("sample data: %v", err)) // maps of strings and numbers always encode
	}
	return b
}

// share picks a fixed part of all events by their names, so that a run can be repeated.
func share(part float64, salt string) func(name string) bool {
	return func(name string) bool {
		h := fnv.New32a()
		_, _ = h.Write([]byte(salt + name)) // a hash never fails
		return float64(h.Sum32()%1000) < part*1000
	}
}
