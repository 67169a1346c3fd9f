package rig

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"sync"
	"time"

	"cloud.google.com/go/pubsub/v2"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/test/witness"
)

// Rig is workers at work, and what stands before and behind them.
type Rig struct {
	setup   Setup
	ledger  *witness.Ledger
	counts  *witness.Deliveries
	flow    *witness.Flow
	tap     *witness.PullTap
	client  *pubsub.Client
	service *httptest.Server
	members []*Member

	watching context.CancelFunc
	watched  chan error

	mu       sync.Mutex
	sent     map[string]time.Time // when an event was first published
	repeated int                  // events published again
	kills    int
}

// Start makes topics and subscriptions and starts the workers. Close the rig.
func Start(ctx context.Context, s Setup) (_ *Rig, err error) {
	if err := s.validate(); err != nil {
		return nil, fmt.Errorf("set a rig up: %w", err)
	}
	r := &Rig{setup: s, ledger: witness.NewLedger(time.Now), flow: witness.NewFlow(time.Now), sent: map[string]time.Time{}}
	r.counts = witness.NewDeliveries(func(sub string) bool { return sub != s.subscription(dead) })
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	if r.tap, err = witness.NewPullTap(s.PubSub, r.counts, r.flow); err != nil {
		return nil, err
	}
	r.tap.Hasten()
	if r.client, err = connect(ctx, r.tap.Addr()); err != nil {
		return nil, err
	}
	if err := r.provision(ctx); err != nil {
		return nil, err
	}
	watch, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.watching, r.watched = stop, make(chan error, 1)
	go func() { r.watched <- witness.WatchLetters(watch, r.client, s.subscription(dead), r.ledger) }()
	r.service = httptest.NewServer(serve(r.ledger, s.Service))
	for _, p := range policies {
		for n := range s.Replicas {
			m, err := r.member(ctx, p, n)
			if err != nil {
				return nil, err
			}
			r.members = append(r.members, m)
		}
	}
	return r, nil
}

func connect(ctx context.Context, addr string) (*pubsub.Client, error) {
	c, err := pubsub.NewClient(ctx, project, option.WithEndpoint(addr), option.WithoutAuthentication(), option.WithTelemetryDisabled(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		return nil, fmt.Errorf("connect to Pub/Sub: %w", err)
	}
	return c, nil
}

// Pending is how many messages nobody has acknowledged, dead letters included.
func (r *Rig) Pending() int64 {
	var all int64
	for _, of := range []string{AtMostOnce.kind(), AtLeastOnce.kind(), dead} {
		n, _, _ := r.flow.Backlog(r.setup.topic(of), r.setup.subscription(of))
		all += n
	}
	return all
}

// Drain waits until every message was acknowledged and every event is accounted for,
// and reports whether that came to be. It gives up once nothing has happened for as
// long as patience; Pub/Sub may wait a minute for a worker that was killed.
func (r *Rig) Drain(ctx context.Context, patience time.Duration) bool {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	last, left := time.Now(), int64(-1)
	for {
		now := r.Pending() + int64(len(r.ledger.Lost()))
		if now == 0 {
			return true
		}
		if now != left {
			last, left = time.Now(), now
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		if time.Since(last) > patience {
			return false
		}
	}
}

// Close stops the workers, then what they work with.
func (r *Rig) Close() error {
	var errs []error
	for _, m := range r.members {
		errs = append(errs, m.stop())
	}
	if r.watching != nil {
		r.watching()
		errs = append(errs, <-r.watched)
	}
	if r.service != nil {
		r.service.CloseClientConnections()
		r.service.Close()
	}
	if r.client != nil {
		errs = append(errs, r.client.Close())
	}
	if r.tap != nil {
		r.tap.Cut()
	}
	return errors.Join(errs...)
}
