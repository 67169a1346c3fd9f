package once

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"onceway.internal/shared/claim"
)

// ErrTooLate answers Begin when the time for the effect is already over.
var ErrTooLate = errors.New("too late to begin the effect")

// ran is what came of one run of a handler.
type ran struct {
	err    error
	result []byte
	// refused says that Begin answered with an error, so that there was no effect.
	refused bool
	took    time.Duration
}

// run runs the handler and waits for it, however long it takes: a handler that is
// abandoned might still act after its claim went to somebody else. Its context ends
// before the lease does, and when the process has to stop, but not when the
// delivery's connection breaks: the effect is worth more than the answer.
func (d *delivery) run(ctx context.Context, hold *claim.Hold) ran {
	c := d.r.c
	start := c.Clock.Now()
	left := hold.ProtectedUntil().Add(c.HandlerTimeout - hold.Stored().Lease).Sub(start)
	if left <= 0 {
		return ran{err: fmt.Errorf("run handler: %w", ErrTooLate), refused: true}
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(c.Lifetime, func() { cancel(context.Cause(c.Lifetime)) })()
	ctx, stop := c.Clock.WithTimeout(ctx, left)
	defer stop()
	defer d.heartbeat(ctx, hold, cancel)()

	var r ran
	b := &beginner{run: ctx, hold: hold}
	s := hold.Stored()
	r.err = guard(func() error {
		return d.h.Run(ctx, &Delivery{
			Message: d.copy, Plan: d.plan, Key: d.req.Key,
			OperationID: s.OperationID, Epoch: s.Epoch, Attempt: s.Attempts,
			begin: b.begin, result: &r.result,
		})
	})
	r.refused = b.refused()
	r.took = c.Clock.Now().Sub(start)
	return r
}

// guard turns a panic into an error, which then counts as any unmarked error does.
func guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("handler panicked: %v\n%s", v, debug.Stack())
		}
	}()
	return f()
}

// beginner answers Begin, the same way however often it is asked.
type beginner struct {
	run  context.Context // the handler's own: ends before the lease, whatever it passes on
	hold *claim.Hold

	mu    sync.Mutex
	asked bool
	err   error
}

// begin checks the time again after the write: it may have taken long, and an
// effect that starts late can outlive the lease.
func (b *beginner) begin(ctx context.Context) (context.Context, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.asked {
		b.asked = true
		b.err = b.hold.Begin(ctx)
		if over := cmp.Or(ctx.Err(), b.run.Err()); b.err == nil && over != nil {
			b.err = fmt.Errorf("%w: %w", ErrTooLate, over)
		}
	}
	return ctx, b.err
}

func (b *beginner) refused() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err != nil
}
