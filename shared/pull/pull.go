package pull

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/pubsub/v2"

	"onceway.internal/shared/envelope"
	"onceway.internal/shared/once"
)

// Config is one subscription and what receives it.
type Config struct {
	Client       *pubsub.Client
	Subscription string // "projects/P/subscriptions/S"
	Receiver     once.Receiver
	// Outstanding is how many messages are handled at once.
	Outstanding int
	// Streams is how many StreamingPull streams are open; 0 is 1.
	Streams int
	// Extension is how long a message's ack deadline is extended at most: as long as
	// a delivery may take, and not much longer, so that a hung one comes again.
	Extension time.Duration
	// Hold is how long a message is out of reach when this process dies: each single
	// extension is at most that long, within Pub/Sub's 10 s to 10 min. 0 leaves it to
	// the client, which takes a minute.
	Hold time.Duration
	// AckTimeout bounds the wait for one acknowledgement's answer, and for the last
	// ones when Run ends.
	AckTimeout time.Duration
	// Reached is told at first, and then on every change, whether Pub/Sub answers. It is
	// asked every Probe, and gets as long to answer; 0 is ten seconds. Reached may be nil.
	Reached func(yes bool)
	Probe   time.Duration
	Log     *slog.Logger
}

// maxBytes bounds the messages held at once; Pub/Sub's largest is 10 MB.
const maxBytes = 128 << 20

func (c Config) validate() error {
	var errs []error
	if c.Client == nil || c.Receiver == nil || c.Log == nil {
		errs = append(errs, errors.New("client, receiver, log: needed"))
	}
	if c.Subscription == "" {
		errs = append(errs, errors.New("subscription: needed"))
	}
	if c.Outstanding < 1 || c.Extension <= 0 || c.AckTimeout <= 0 {
		errs = append(errs, errors.New("outstanding, extension, ack time-out: must be positive"))
	}
	if c.Probe < 0 {
		errs = append(errs, errors.New("probe: must not be negative"))
	}
	return errors.Join(errs...)
}

// Run pulls until ctx ends, then lets the deliveries in work come to their end and
// returns. While Pub/Sub is away it tries again for as long as it takes. It answers an
// error when the subscription can't be pulled for good: it is gone, or pulling it is
// not allowed.
//
// If Pub/Sub is away at the end, Run doesn't wait for it: what could not be
// acknowledged comes again and meets its claim. Then goroutines are left that end soon
// after the Client is closed.
func Run(ctx context.Context, c Config) error {
	if err := c.validate(); err != nil {
		return fmt.Errorf("configure pull: %w", err)
	}
	var watching sync.WaitGroup
	watched, stop := context.WithCancel(ctx)
	watching.Go(func() { c.watch(watched) })
	defer watching.Wait()
	defer stop()

	var work door
	ended := make(chan error, 1)
	go func() {
		ended <- c.subscriber().Receive(ctx, func(ctx context.Context, m *pubsub.Message) {
			if !work.enter() {
				m.Nack()
				return
			}
			defer work.exit()
			c.receive(ctx, m)
		})
	}()
	select {
	case err := <-ended:
		return c.explain(err)
	case <-ctx.Done():
	}
	work.shut()
	select {
	case err := <-ended:
		return c.explain(err)
	case <-time.After(c.AckTimeout):
		c.Log.WarnContext(ctx, "Pub/Sub does not answer at the end: what was not acknowledged comes again and meets its claim", "subscription", c.Subscription)
		return nil
	}
}

func (c Config) subscriber() *pubsub.Subscriber {
	sub := c.Client.Subscriber(c.Subscription)
	sub.ReceiveSettings.MaxOutstandingMessages = c.Outstanding
	sub.ReceiveSettings.MaxOutstandingBytes = maxBytes
	sub.ReceiveSettings.NumGoroutines = max(c.Streams, 1)
	sub.ReceiveSettings.MaxExtension = c.Extension
	if c.Hold > 0 {
		sub.ReceiveSettings.MaxDurationPerAckExtension = min(max(c.Hold, 10*time.Second), 600*time.Second)
	}
	return sub
}

func (c Config) receive(ctx context.Context, m *pubsub.Message) {
	msg, err := envelope.FromPulled(pulled(m, c.Subscription))
	if err != nil {
		once.Log(ctx, c.Log, &envelope.Message{}, once.Report{Handler: c.Receiver.Name(), Outcome: once.Malformed, Err: err})
		m.Nack()
		return
	}
	rep := c.Receiver.Receive(ctx, msg)
	answer := m.NackWithResult
	if rep.Outcome.Ack() {
		answer = m.AckWithResult
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.AckTimeout)
	defer cancel()
	if status, err := answer().Get(ctx); err != nil {
		c.Log.WarnContext(ctx, "acknowledgement was refused: the message comes again", "message_id", m.ID, "status", int(status), "error", err.Error())
	}
}

func pulled(m *pubsub.Message, subscription string) envelope.Pulled {
	p := envelope.Pulled{
		ID: m.ID, Data: m.Data, Attributes: m.Attributes, OrderingKey: m.OrderingKey,
		PublishTime: m.PublishTime, Subscription: subscription,
	}
	if m.DeliveryAttempt != nil {
		p.DeliveryAttempt = *m.DeliveryAttempt
	}
	return p
}
