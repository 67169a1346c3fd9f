package once

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/letter"
)

// DeadLetters publishes to the dead-letter topic. Publish blocks until the topic
// has the letter for good; it may be called again with the same letter.
type DeadLetters interface {
	Publish(ctx context.Context, l letter.Letter) error
}

// Config is what a Runner works with.
type Config struct {
	Claims      *claim.Machine
	DeadLetters DeadLetters
	Clock       clock.Clock
	Log         *slog.Logger

	// HandlerTimeout is what a handler gets, counted from before its claim was written.
	HandlerTimeout time.Duration
	// AckDeadline is the subscription's, for push; 0 where the deadline is extended
	// as long as needed (pull, or no Pub/Sub at all).
	AckDeadline time.Duration
	// Margin is kept free at the end of the ack deadline for the answer.
	Margin time.Duration
	// PublishTimeout bounds the publishing of one dead letter.
	PublishTimeout time.Duration

	// WaitBound is how long a duplicate watches a live claim before it is nacked;
	// WaitPoll is how often it looks.
	WaitBound, WaitPoll time.Duration
	// Slots is how many deliveries run at once here; at most half of them wait.
	Slots int
	// CacheSize is how many finished keys are remembered in the process. 0 is none.
	CacheSize int

	// Heartbeat renews the lease while a handler runs, so that the handler may
	// outlast it. 0 is off: then the handler's time must fit into the lease.
	Heartbeat time.Duration

	// RepeatableOnly refuses destructive work: the claims are in a memory that forgets.
	RepeatableOnly bool

	// Lifetime ends when handlers have to stop: some time after the process was
	// told to. A handler outlives its request's connection, but not this.
	Lifetime context.Context

	// Observe is told of every delivery; may be nil. It must not block.
	Observe func(Report)
}

// Validate reports every fault at once, the times checked against each other.
func (c Config) Validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(c.Claims == nil, "claims: missing")
	fault(c.DeadLetters == nil, "dead letters: missing")
	fault(c.Clock == nil, "clock: missing")
	fault(c.Log == nil, "log: missing")
	fault(c.Lifetime == nil, "lifetime: missing")
	fault(c.HandlerTimeout <= 0, "handler time-out %v: must be positive", c.HandlerTimeout)
	fault(c.Margin < 0, "margin %v: must not be negative", c.Margin)
	fault(c.PublishTimeout <= 0, "publish time-out %v: must be positive", c.PublishTimeout)
	fault(c.WaitBound < 0, "wait bound %v: must not be negative", c.WaitBound)
	fault(c.WaitPoll <= 0, "wait poll %v: must be positive", c.WaitPoll)
	fault(c.Slots < 1, "slots %d: must be at least 1", c.Slots)
	fault(c.CacheSize < 0, "cache size %d: must not be negative", c.CacheSize)
	if c.Claims != nil {
		lease := c.Claims.Config().Lease
		fault(c.Heartbeat == 0 && c.HandlerTimeout >= lease,
			"handler time-out %v: must be shorter than the lease %v, or another delivery takes over while it runs", c.HandlerTimeout, lease)
		fault(c.Heartbeat < 0 || c.Heartbeat > lease/3,
			"heartbeat %v: must be at most a third of the lease %v", c.Heartbeat, lease)
		fault(c.AckDeadline > 0 && lease+c.HandlerTimeout+c.Margin > c.AckDeadline,
			"lease %v + handler time-out %v + margin %v: must fit into the ack deadline %v, or a redelivery can't wait and then run", lease, c.HandlerTimeout, c.Margin, c.AckDeadline)
	}
	return errors.Join(faults...)
}

// Runner runs handlers under claims. Safe for concurrent use.
type Runner struct {
	c       Config
	waiters chan struct{}
	done    *lru.Cache[string, string] // claim ID -> payload hash, DONE only; nil is off
}

// NewRunner checks the configuration and answers with a Runner.
func NewRunner(c Config) (*Runner, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("configure runner: %w", err)
	}
	if c.Observe == nil {
		c.Observe = func(Report) {}
	}
	r := &Runner{c: c, waiters: make(chan struct{}, c.Slots/2)}
	if c.CacheSize > 0 {
		r.done, _ = lru.New[string, string](c.CacheSize) // fails for sizes below 1 only
	}
	return r, nil
}

func (r *Runner) remember(s claim.Stored) {
	if r.done != nil && s.State == claim.Done {
		r.done.Add(s.ID, s.PayloadHash)
	}
}

func (r *Runner) remembered(id, payloadHash string) bool {
	if r.done == nil {
		return false
	}
	hash, ok := r.done.Get(id)
	return ok && hash == payloadHash
}
