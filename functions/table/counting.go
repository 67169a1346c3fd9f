package table

import (
	"context"
	"log/slog"

	"onceway.internal/shared/backlog"
	"onceway.internal/shared/backlog/counters"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/publish"
)

// counting counts what it publishes to queues that have live counters. A counter that
// can't be reached never holds a message back: drift is corrected.
type counting struct {
	publish.Publisher
	counts *counters.Counts
	queues map[string]backlog.Queue // by topic
	log    *slog.Logger
}

// Publish implements publish.Publisher.
func (c *counting) Publish(ctx context.Context, topic string, m publish.Message) (string, error) {
	if q, ok := c.queues[topic]; ok {
		if err := c.counts.Received(ctx, q, 1); err != nil {
			c.log.WarnContext(ctx, "message is not counted", "queue", counters.Name(q), "error", err.Error())
		}
	}
	return c.Publisher.Publish(ctx, topic, m)
}

// countedPublisher publishes as p does, and counts where counters are in use.
func (a *App) countedPublisher(g groups.Config, p publish.Publisher) (publish.Publisher, error) {
	if a.Config.Routing.Source != fromCounters {
		return p, nil
	}
	store, err := a.counterStore()
	if err != nil {
		return nil, err
	}
	counts, err := counters.NewCounts(store)
	if err != nil {
		return nil, err
	}
	is := a.counted()
	queues := make(map[string]backlog.Queue)
	for _, g := range g.Groups {
		for _, q := range g.Queues {
			b := backlog.Queue{Group: g.ID, Name: q.Name, Project: q.Project, Subscription: q.Subscription}
			if is == nil || is(b) {
				queues[q.TopicName()] = b
			}
		}
	}
	return &counting{Publisher: p, counts: counts, queues: queues, log: a.Log}, nil
}
