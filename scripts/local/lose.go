package main

import (
	"context"
	"sync/atomic"
	"time"
)

// loss makes a worker be lost in mid-handler: the first request that it makes once it
// is armed is held, after its effect, until the worker is gone.
type loss struct {
	armed  atomic.Bool
	inHand chan string   // the event that is held
	gone   chan struct{} // closed when the worker was lost
	said   atomic.Pointer[string]
}

func newLoss() *loss { return &loss{inHand: make(chan string, 1), gone: make(chan struct{})} }

// hold is the receiver's fault; see witness.Faults.
func (l *loss) hold(event string, ended <-chan struct{}) {
	if !l.armed.CompareAndSwap(true, false) {
		return
	}
	l.inHand <- event
	select {
	case <-ended:
	case <-l.gone:
	}
}

// run loses the worker after a while, and once it has an event in hand.
func (l *loss) run(ctx context.Context, after time.Duration, lose func()) {
	timer := time.NewTimer(after)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		close(l.gone)
		return
	case <-timer.C:
	}
	l.armed.Store(true)
	select {
	case event := <-l.inHand:
		// By now the client has told Pub/Sub that it has the message, for its usual ten
		// seconds; before that Pub/Sub would wait a minute for it.
		wait(ctx, inHandFor)
		lose()
		close(l.gone)
		l.said.Store(&event)
	case <-ctx.Done():
		close(l.gone)
	}
}

// inHandFor is how long a worker is at work on the event before it is lost.
const inHandFor = 500 * time.Millisecond

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// event is what the lost worker had in hand; empty as long as none was lost.
func (l *loss) event() string {
	if e := l.said.Load(); e != nil {
		return *e
	}
	return ""
}
