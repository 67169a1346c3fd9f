package table

import (
	"context"

	"onceway.internal/shared/publish"
)

// latePublisher is the process's publisher, made when something is published first: a
// function whose events all end well needs no Pub/Sub client, and starts without one.
type latePublisher struct{ app *App }

var (
	_ publish.Publisher = latePublisher{}
	_ publish.Topics    = latePublisher{}
)

// Publish implements publish.Publisher.
func (l latePublisher) Publish(ctx context.Context, topic string, m publish.Message) (string, error) {
	p, err := l.app.Publisher(ctx)
	if err != nil {
		return "", err
	}
	return p.Publish(ctx, topic, m)
}

// TopicOf implements publish.Topics.
func (l latePublisher) TopicOf(ctx context.Context, subscription string) (string, error) {
	p, err := l.app.Publisher(ctx)
	if err != nil {
		return "", err
	}
	return p.TopicOf(ctx, subscription)
}
