package explore

import (
	"context"
	"time"
)

// hostClock is the clock of whichever process runs: the world's time, put wrong by its
// host's skew, and moved on by what the process slept.
type hostClock struct {
	w    *world
	skew time.Duration
}

func (c hostClock) Now() time.Time {
	return c.w.now.Add(c.skew + c.w.cur.slept)
}

func (c hostClock) Sleep(ctx context.Context, d time.Duration) error {
	p := c.w.cur
	if p.dead {
		return errDead
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	p.slept += d
	return ctx.Err()
}

func (c hostClock) WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	t := &timed{Context: parent, clock: c, deadline: c.Now().Add(d)}
	return t, func() { t.cancelled = true }
}

// timed ends by the world's time; it has no channel, so that nothing runs beside the
// process that looks at it.
type timed struct {
	context.Context
	clock     hostClock
	deadline  time.Time
	cancelled bool
}

func (t *timed) Deadline() (time.Time, bool) { return t.deadline, true }

func (t *timed) Err() error {
	switch {
	case t.cancelled:
		return context.Canceled
	case !t.clock.Now().Before(t.deadline):
		return context.DeadlineExceeded
	}
	return t.Context.Err()
}
