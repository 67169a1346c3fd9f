package claim

import (
	"errors"
	"fmt"
	"time"

	"onceway.internal/shared/clock"
)

// Config is what the state machine needs.
type Config struct {
	Store Store
	Clock clock.Clock

	// Lease protects each owner from its last write on, by the store's clock.
	Lease time.Duration
	// TTL is how long DONE and DEAD stay readable. At least the subscription's
	// retention plus the dead-letter topic's, or a late redelivery acts again.
	TTL time.Duration
	// SettleAfter is waited beyond the end of a parked owner's lease before
	// anybody may say that it did not act: a paused process may still be about to.
	SettleAfter time.Duration
	// MaxAttempts is how many claims and takeovers an event gets.
	MaxAttempts int

	// StoreTimeout bounds one call of the store.
	StoreTimeout time.Duration
	// FinishBudget bounds the retries of a write that must not be given up
	// lightly: the one that says that the effect happened.
	FinishBudget time.Duration

	// Token makes owners and write IDs: NewToken unless set. Anything that can
	// repeat a token breaks the protocol.
	Token func() string
	// Observe is told of every transition that was certainly written. May be nil.
	Observe func(Transition)
}

// Validate reports every fault at once.
func (c Config) Validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(c.Store == nil, "claim store: missing")
	fault(c.Clock == nil, "clock: missing")
	fault(c.Lease <= 0, "lease %v: must be positive", c.Lease)
	fault(c.TTL <= 0, "claim TTL %v: must be positive", c.TTL)
	fault(c.SettleAfter < 0, "settle-after %v: must not be negative", c.SettleAfter)
	fault(c.MaxAttempts < 1, "max attempts %d: must be at least 1", c.MaxAttempts)
	fault(c.StoreTimeout <= 0, "store timeout %v: must be positive", c.StoreTimeout)
	fault(c.FinishBudget <= 0, "finish budget %v: must be positive", c.FinishBudget)
	return errors.Join(faults...)
}

// Machine performs every transition of every claim. Safe for concurrent use.
type Machine struct{ c Config }

// NewMachine checks the configuration and answers with the state machine over it.
func NewMachine(c Config) (*Machine, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("configure claims: %w", err)
	}
	if c.Token == nil {
		c.Token = NewToken
	}
	if c.Observe == nil {
		c.Observe = func(Transition) {}
	}
	return &Machine{c: c}, nil
}

// Config answers with what the machine runs on.
func (m *Machine) Config() Config { return m.c }
