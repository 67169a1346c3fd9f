package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"cloud.google.com/go/pubsub/v2"
	"golang.org/x/sync/errgroup"

	"onceway.internal/test/witness"
)

// play runs the traffic for the configured time, then waits until all is accounted
// for. show is called every so often and once at the end.
func (s *stage) play(ctx context.Context, show func(phase string, left time.Duration)) (*outcome, error) {
	behind, ctx := errgroup.WithContext(ctx)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for _, line := range s.lines {
		behind.Go(func() error { return line.Run(ctx) })
	}
	behind.Go(func() error { return witness.WatchLetters(ctx, s.client, s.config.sub(witnessSub), s.ledger) })
	if err := s.warmUp(ctx); err != nil {
		return nil, err
	}
	// Monitoring shows nothing before its lag is over. Score comes once it does: until
	// then routing has no figures, which shows as well.
	t := s.config.times
	s.score = &schedule{job: "onceway-score", url: s.host.endpoint("Score"), every: t.score, after: t.sample + t.maxLag}
	sweep := &schedule{job: "onceway-sweep", url: s.host.endpoint("Sweep"), every: t.sweep}
	for _, job := range []*schedule{s.score, sweep} {
		behind.Go(func() error { job.run(ctx); return nil })
	}
	p := newPublisher(s.config, s.client, s.ledger, s.again())
	defer p.stop()
	begun := time.Now()
	if err := s.publish(ctx, p, show); err != nil {
		return nil, err
	}
	s.settle(ctx, show)
	out, err := s.outcome(ctx, p, time.Since(begun))
	stop()
	if werr := behind.Wait(); err == nil {
		err = werr
	}
	return out, err
}

// warmUp sends a message through every group and waits for it: Monitoring knows no
// queue that never had one.
func (s *stage) warmUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for _, g := range s.config.groups {
		p := s.client.Publisher(s.config.topic(queue(g, queueNames[0])))
		_, err := p.Publish(ctx, &pubsub.Message{Data: []byte("warm-up"), Attributes: map[string]string{"onceway-key": witness.WarmUp + g.id}}).Get(ctx)
		p.Stop()
		if err != nil {
			return fmt.Errorf("warm the pipeline up: %w", err)
		}
	}
	for _, line := range s.lines {
		if !until(ctx, func() bool { return line.Through() > 0 }) {
			return fmt.Errorf("warm the pipeline up: %w", context.Cause(ctx))
		}
	}
	return nil
}

// publish runs the traffic, and loses a worker on the way.
func (s *stage) publish(ctx context.Context, p *publisher, show func(string, time.Duration)) error {
	ctx, cancel := context.WithTimeout(ctx, s.config.duration)
	defer cancel()
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { return p.run(ctx) })
	all.Go(func() error {
		s.loss.run(ctx, time.Duration(float64(s.config.duration)*s.config.traffic.loseWorker), s.host.loseWorker)
		return nil
	})
	all.Go(func() error { s.watch(ctx, "publishing", show); return nil })
	return all.Wait()
}

// settle waits until nothing is missing and nothing comes again any more, at most as
// long as configured.
func (s *stage) settle(ctx context.Context, show func(string, time.Duration)) {
	ctx, cancel := context.WithTimeout(ctx, s.config.drain)
	defer cancel()
	watching := make(chan struct{})
	go func() { defer close(watching); s.watch(ctx, "draining", show) }()
	until(ctx, func() bool { return len(s.ledger.Lost()) == 0 && s.backend.pending() == 0 })
	cancel()
	<-watching
}

// watch shows how things stand until ctx ends.
func (s *stage) watch(ctx context.Context, phase string, show func(string, time.Duration)) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		deadline, _ := ctx.Deadline()
		show(phase, max(time.Until(deadline), 0))
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// until polls and reports whether ok became true before ctx ended.
func until(ctx context.Context, ok func() bool) bool {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			return ok()
		case <-tick.C:
		}
	}
	return true
}

func (s *stage) assign() asked {
	return asked{base: trimSlash(s.host.endpoint("Assign")), client: &http.Client{Timeout: 5 * time.Second}}
}
