package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"onceway.internal/test/local"
	"onceway.internal/test/monitoring"
	"onceway.internal/test/servers"
	"onceway.internal/test/witness"
)

// backend is Pub/Sub, and Firestore where there is one, with a way to tell the true backlogs.
type backend struct {
	pubsub    string // address of its gRPC API
	firestore string // empty: memory stores
	// backlog tells about a group's queue by its name.
	backlog func(queue string) (undelivered int64, since time.Time, acked int64)
	// pending is how many sample events onceway has not acknowledged, as far as that
	// can be known.
	pending func() int64
	stop    func() error
}

// startLocal starts Pub/Sub in memory, which redelivers by itself.
func startLocal(c config) (*backend, error) {
	broker, err := local.Start(local.Config{Seed: c.seed, Redeliver: func(subscription string) float64 {
		if forEvents(subscription) {
			return c.traffic.redelivered
		}
		return 0
	}})
	if err != nil {
		return nil, fmt.Errorf("start Pub/Sub: %w", err)
	}
	return &backend{
		pubsub: broker.Addr(),
		backlog: func(queue string) (int64, time.Time, int64) {
			stats, _ := broker.Stats(c.sub(queue))
			return stats.Undelivered, stats.Oldest, stats.Acked
		},
		pending: func() (n int64) {
			for _, name := range broker.Subscriptions() {
				if stats, _ := broker.Stats(name); forEvents(name) {
					n += stats.Undelivered
				}
			}
			return n
		},
		stop: func() error { broker.Close(); return nil },
	}, nil
}

// startEmulators starts Google's. The Pub/Sub emulator tells no backlog, so all of its
// clients come through a tap.
func startEmulators(ctx context.Context, c config, counts *witness.Deliveries) (*backend, error) {
	var pubsub, firestore *servers.Server
	start := errgroup.Group{}
	start.Go(func() (err error) { pubsub, err = servers.StartPubSub(ctx); return err })
	start.Go(func() (err error) { firestore, err = servers.StartFirestore(ctx); return err })
	err := start.Wait()
	if err == nil {
		err = servers.WarmFirestore(ctx, firestore.Addr, c.project)
	}
	stop := func() error {
		var errs []error
		for _, s := range []*servers.Server{pubsub, firestore} {
			if s != nil {
				errs = append(errs, s.Stop())
			}
		}
		return errors.Join(errs...)
	}
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	flow := witness.NewFlow(time.Now)
	tap, err := witness.NewPullTap(pubsub.Addr, counts, flow)
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	return &backend{
		pubsub: tap.Addr(), firestore: firestore.Addr,
		backlog: func(queue string) (int64, time.Time, int64) { return flow.Backlog(c.topic(queue), c.sub(queue)) },
		pending: func() int64 { n, _, _ := flow.Backlog(c.topic(jobTopic), c.sub(jobSub)); return n },
		stop:    func() error { tap.Cut(); return stop() },
	}, nil
}

// figures is the truth that the Monitoring stand-in samples.
func (b *backend) figures(c config) monitoring.Source {
	return func() map[string]monitoring.Figures {
		all := map[string]monitoring.Figures{}
		for _, g := range c.groups {
			for _, name := range queueNames {
				n, since, acked := b.backlog(queue(g, name))
				f := monitoring.Figures{Undelivered: n, AckedPull: acked}
				if !since.IsZero() {
					f.OldestUnacked = time.Since(since)
				}
				all[c.sub(queue(g, name))] = f
			}
		}
		return all
	}
}
