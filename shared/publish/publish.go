// Package publish puts messages on topics, and tells which topic a subscription
// hangs on. The ports are small, so that whoever publishes can be tested without a
// Pub/Sub client; PubSub is the one for real.
package publish

import "context"

// Message is what is published.
type Message struct {
	Data        []byte
	Attributes  map[string]string
	OrderingKey string
}

// Publisher publishes one message. topic is "projects/P/topics/T". It blocks until
// the service has the message for good, or fails; after a failure the message may
// have been published all the same. Safe for concurrent use.
type Publisher interface {
	Publish(ctx context.Context, topic string, m Message) (id string, err error)
}

// Topics tells which topic a subscription, "projects/P/subscriptions/S", hangs on.
// Safe for concurrent use.
type Topics interface {
	TopicOf(ctx context.Context, subscription string) (string, error)
}
