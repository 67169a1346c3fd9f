package publish

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
)

// deletedTopic is what a subscription whose topic was deleted names.
const deletedTopic = "_deleted-topic_"

// PubSub publishes over one client and keeps a publisher for each topic.
type PubSub struct {
	client *pubsub.Client

	mu     sync.Mutex
	topics map[string]*pubsub.Publisher
}

// NewPubSub answers with a publisher over client, which stays the caller's to close.
func NewPubSub(client *pubsub.Client) (*PubSub, error) {
	if client == nil {
		return nil, errors.New("new publisher: no client")
	}
	return &PubSub{client: client, topics: make(map[string]*pubsub.Publisher)}, nil
}

// Publish implements Publisher.
func (p *PubSub) Publish(ctx context.Context, topic string, m Message) (string, error) {
	pub := p.publisher(topic)
	id, err := pub.Publish(ctx, &pubsub.Message{Data: m.Data, Attributes: m.Attributes, OrderingKey: m.OrderingKey}).Get(ctx)
	if err != nil {
		if m.OrderingKey != "" {
			pub.ResumePublish(m.OrderingKey) // else every later message under this key is refused
		}
		return "", fmt.Errorf("publish to %s: %w", topic, err)
	}
	return id, nil
}

// TopicOf implements Topics.
func (p *PubSub) TopicOf(ctx context.Context, subscription string) (string, error) {
	s, err := p.client.SubscriptionAdminClient.GetSubscription(ctx, &pubsubpb.GetSubscriptionRequest{Subscription: subscription})
	if err != nil {
		return "", fmt.Errorf("get subscription %s: %w", subscription, err)
	}
	if s.GetTopic() == deletedTopic {
		return "", fmt.Errorf("get subscription %s: its topic was deleted", subscription)
	}
	return s.GetTopic(), nil
}

// Stop sends what is still buffered. Nothing is: every Publish waits for its answer.
func (p *PubSub) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.topics {
		t.Stop()
	}
	clear(p.topics)
}

// publisher sends without waiting for a batch to fill: the caller waits for each answer.
func (p *PubSub) publisher(topic string) *pubsub.Publisher {
	p.mu.Lock()
	defer p.mu.Unlock()
	pub, ok := p.topics[topic]
	if !ok {
		pub = p.client.Publisher(topic)
		pub.PublishSettings.DelayThreshold = 1
		pub.EnableMessageOrdering = true
		p.topics[topic] = pub
	}
	return pub
}
