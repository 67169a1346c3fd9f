package rig

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"

	"cloud.google.com/go/pubsub/v2"
	"golang.org/x/sync/errgroup"
)

// keyAttribute is the documented attribute that makes two messages one event.
const keyAttribute = "onceway-key"

// Share picks a fixed part of all events by their names, so that a run can be repeated.
func Share(part float64, salt string) func(event string) bool {
	return func(event string) bool { return Draw(event, salt) < part }
}

// Draw is a number in [0, 1) that an event's name decides.
func Draw(event, salt string) float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(event + "/" + salt)) // a hash never fails
	return float64(mix(h.Sum64())>>11) / (1 << 53)
}

// mix spreads what FNV leaves close together for names that differ in their last digit.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// Publish publishes one event of each policy every period, until there are as many of
// each as said or ctx ends, and waits for what is published again later.
func (r *Rig) Publish(ctx context.Context, events int, every time.Duration) error {
	all, ctx := errgroup.WithContext(ctx)
	for _, p := range policies {
		all.Go(func() error { return r.publish(ctx, p, events, every) })
	}
	return all.Wait()
}

func (r *Rig) publish(ctx context.Context, p Policy, events int, every time.Duration) error {
	topic := r.client.Publisher(r.setup.topic(p.kind()))
	topic.PublishSettings.DelayThreshold = time.Millisecond
	defer topic.Stop()
	var all errgroup.Group
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 1; n <= events && ctx.Err() == nil; n++ {
		// What was begun is finished: its outcome would be unknown otherwise.
		all.Go(func() error { return r.event(context.WithoutCancel(ctx), topic, p, n) })
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	return all.Wait()
}

// event publishes one event once or twice: at once, so that two workers meet on its
// claim, or a while later.
func (r *Rig) event(ctx context.Context, topic *pubsub.Publisher, p Policy, n int) error {
	e := r.setup.event(p, n)
	data, err := json.Marshal(map[string]string{"order": e.Name})
	if err != nil {
		return fmt.Errorf("make %s: %w", e.Name, err)
	}
	message := func() *pubsub.Message {
		return &pubsub.Message{Data: data, Attributes: map[string]string{keyAttribute: e.Name}}
	}
	r.ledger.Publishing(e)
	r.mu.Lock()
	r.sent[e.Name] = time.Now()
	r.mu.Unlock()
	first := topic.Publish(ctx, message())
	if Draw(e.Name, "again") < r.setup.Repeated {
		r.mu.Lock()
		r.repeated++
		r.mu.Unlock()
		if late := Draw(e.Name, "late"); late > 0.5 {
			pause(time.Duration((late-0.5)*float64(maxLate)), ctx.Done())
		}
		if _, err := topic.Publish(ctx, message()).Get(ctx); err != nil {
			return fmt.Errorf("publish %s again: %w", e.Name, err)
		}
	}
	if _, err := first.Get(ctx); err != nil {
		return fmt.Errorf("publish %s: %w", e.Name, err)
	}
	return nil
}

// maxLate is twice the longest time after which an event is published again.
const maxLate = 16 * time.Second
