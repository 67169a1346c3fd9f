package once

import (
	"context"
	"time"
)

// wait is a duplicate's patience with a live claim. Every nack spends one of
// Pub/Sub's delivery attempts, so it watches a while before it gives up.
type wait struct {
	d     *delivery
	until time.Time
	slot  bool
}

// newWait bounds the waiting so that a handler that is taken over afterwards still
// has its whole time before the ack deadline.
func (d *delivery) newWait() *wait {
	c := d.r.c
	bound := c.WaitBound
	if c.AckDeadline > 0 {
		bound = min(bound, c.AckDeadline-c.HandlerTimeout-c.Margin)
	}
	return &wait{d: d, until: d.begun.Add(bound)}
}

// next waits for one look more and reports whether there is time for it. Half of
// the slots stay free for deliveries that can act.
func (w *wait) next(ctx context.Context) bool {
	left := w.until.Sub(w.d.r.c.Clock.Now())
	if left <= 0 {
		return false
	}
	if !w.slot {
		select {
		case w.d.r.waiters <- struct{}{}:
			w.slot = true
		default:
			return false
		}
	}
	return w.d.r.c.Clock.Sleep(ctx, min(left, w.d.r.c.WaitPoll)) == nil && w.d.r.c.Lifetime.Err() == nil
}

func (w *wait) end() {
	if w.slot {
		<-w.d.r.waiters
	}
}
