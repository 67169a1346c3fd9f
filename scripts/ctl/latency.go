package main

import (
	"fmt"
	"io"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"onceway.internal/shared/backlog"
	"onceway.internal/shared/publish"
)

type latencyCmd struct {
	Topic        string        `default:"onceway-probe" help:"A topic that nothing else uses."`
	Subscription string        `default:"onceway-probe" help:"Its subscription, which nobody pulls."`
	Timeout      time.Duration `default:"10m" help:"When to give up."`
	Every        time.Duration `default:"5s" help:"How often to look."`
}

// latency is one measurement.
type latency struct {
	Published time.Time
	// Sampled is the time that the figure is true for, Seen when it could be read.
	Sampled, Seen time.Time
	// Lag is from publishing until the message showed.
	Lag time.Duration
}

// Run publishes a message that nobody takes, and looks until Cloud Monitoring shows it.
func (c *latencyCmd) Run(t *terminal) error {
	if c.Every <= 0 || c.Timeout <= 0 {
		return fmt.Errorf("%w: --timeout and --every must be positive", errUsage)
	}
	app, err := t.app()
	if err != nil {
		return err
	}
	client, err := app.PubSub(t.ctx)
	if err != nil {
		return err
	}
	p, err := app.Publisher(t.ctx)
	if err != nil {
		return err
	}
	source, err := app.Backlogs()
	if err != nil {
		return err
	}
	l := latency{Published: time.Now()}
	sub := app.Config.Full("subscriptions", c.Subscription)
	if _, err := p.Publish(t.ctx, app.Config.Full("topics", c.Topic), publish.Message{Data: []byte("probe")}); err != nil {
		return fmt.Errorf("publish the probe: %w", err)
	}
	err = c.watch(t, source, backlog.Queue{Group: "probe", Name: "probe", Project: app.Config.Process.Project, Subscription: c.Subscription}, &l)
	// Whatever came of it, the probe must not be seen by the next measurement.
	_, serr := client.SubscriptionAdminClient.Seek(t.ctx, &pubsubpb.SeekRequest{
		Subscription: sub, Target: &pubsubpb.SeekRequest_Time{Time: timestamppb.New(time.Now().Add(time.Minute))},
	})
	if err != nil {
		return err
	}
	if serr != nil {
		return fmt.Errorf("clear %s: %w", sub, serr)
	}
	return t.print(l, func(w io.Writer) {
		row(w, "published", l.Published.UTC().Format(time.RFC3339))
		row(w, "sampled", ago(l.Sampled, l.Published)+" later")
		row(w, "visible", l.Lag.Round(time.Second).String()+" later")
	})
}

func (c *latencyCmd) watch(t *terminal, source backlog.Source, q backlog.Queue, l *latency) error {
	timeout := time.NewTimer(c.Timeout)
	defer timeout.Stop()
	tick := time.NewTicker(c.Every)
	defer tick.Stop()
	for {
		r := source.Read(t.ctx, []backlog.Queue{q})
		if len(r.Errors) > 0 {
			return fmt.Errorf("read Cloud Monitoring: %w", r.Errors[0])
		}
		if s, ok := r.Samples[q]; ok && s.Undelivered > 0 && !s.At.Before(l.Published) {
			l.Sampled, l.Seen = s.At, time.Now()
			l.Lag = l.Seen.Sub(l.Published)
			return nil
		}
		select {
		case <-tick.C:
		case <-timeout.C:
			return fmt.Errorf("cloud monitoring did not show the probe within %v: does %s hang on the probe topic?", c.Timeout, c.Subscription)
		case <-t.ctx.Done():
			return t.ctx.Err()
		}
	}
}
