package settle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
	"onceway.internal/shared/publish"
)

// Errors that tell a person what to do instead.
var (
	// ErrAlreadyDone: the event acted; its letter may be dropped.
	ErrAlreadyDone = errors.New("already done")
	// ErrNoLetter: the event is not stored yet, or no longer.
	ErrNoLetter = errors.New("no stored letter for this claim")
	// ErrParked: whether it acted is open: settle the claim instead of replaying its letter.
	ErrParked = errors.New("claim is parked")
	// ErrNeedsKey: the letter does not say which claim it belongs to.
	ErrNeedsKey = errors.New("letter has no key")
	// ErrForgotten: the claim may have been cleaned away, and with it the proof that it acted.
	ErrForgotten = errors.New("claim may have been forgotten")
)

// Cleaner deletes up to limit claims that are DONE or DEAD and expired, and tells how
// many. Several may clean at once.
type Cleaner interface {
	Cleanup(ctx context.Context, limit int) (deleted int64, err error)
}

// Config is what a Settler works with.
type Config struct {
	Claims    *claim.Machine
	Lister    claim.Lister
	Letters   letter.Store
	Publisher publish.Publisher
	Topics    publish.Topics
	// Verifiers answer for parked claims of their handler's name; may be empty.
	Verifiers []once.Verifier
	// Cleaner removes what expired, where the store does not do it by itself; may be nil.
	Cleaner Cleaner
	// Horizon is how long after its last write a claim may still be redelivered:
	// the subscription's longest back-off plus its ack deadline, and some.
	Horizon time.Duration
	// VerifyTimeout bounds one question to a Verifier.
	VerifyTimeout time.Duration
	// Pages bounds how many pages of each state one sweep reads.
	Pages int
}

// Settler settles claims and letters. Safe for concurrent use, also by several
// processes at once: every change is a compare-and-swap.
type Settler struct {
	c         Config
	verifiers map[string]once.Verifier
}

// New checks the configuration, reporting every fault at once.
func New(c Config) (*Settler, error) {
	var faults []error
	fault := func(bad bool, what string) {
		if bad {
			faults = append(faults, errors.New(what))
		}
	}
	fault(c.Claims == nil, "claims: missing")
	fault(c.Lister == nil, "claim lister: missing")
	fault(c.Letters == nil, "letters: missing")
	fault(c.Publisher == nil, "publisher: missing")
	fault(c.Topics == nil, "topics: missing")
	fault(c.Horizon <= 0, "redelivery horizon: must be positive")
	fault(c.VerifyTimeout <= 0, "verify time-out: must be positive")
	fault(c.Pages < 1, "pages: must be at least 1")
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("configure settler: %w", err)
	}
	s := &Settler{c: c, verifiers: make(map[string]once.Verifier, len(c.Verifiers))}
	for _, v := range c.Verifiers {
		s.verifiers[v.Name()] = v
	}
	return s, nil
}

// SettleDone records that a parked operation acted. by is "verify", or "operator" and who, why a
// few words. rec is the record as it was read before anybody looked whether it acted.
func (s *Settler) SettleDone(ctx context.Context, rec claim.Stored, by, why string) (claim.Stored, error) {
	rec, err := s.c.Claims.SettleDone(ctx, rec, by, why)
	if err != nil {
		return rec, err
	}
	return rec, s.remove(ctx, letter.ID(rec.ID, rec.Epoch))
}

// SettleRetry records that a parked operation did not act, and publishes its event
// again. It is refused while the owner may still act, and while the event is not stored.
// rec is the record as it was read before anybody looked whether the operation acted: an
// older look may have missed an effect, of a paused owner or of a run that somebody else
// allowed meanwhile. It swaps on the version in rec.
func (s *Settler) SettleRetry(ctx context.Context, rec claim.Stored, by, why string) (claim.Stored, error) {
	if err := s.c.Claims.MayRetry(rec); err != nil {
		return rec, err
	}
	l, err := s.stored(ctx, rec.ID, rec.Epoch)
	if err != nil {
		return rec, err
	}
	if rec, err = s.c.Claims.SettleRetry(ctx, rec, by, why); err != nil {
		return rec, err
	}
	return rec, s.again(ctx, l, rec.Key, rec.Handler)
}

// stored finds the letter that a claim left in an epoch.
func (s *Settler) stored(ctx context.Context, id string, epoch int64) (letter.Letter, error) {
	l, err := s.c.Letters.Get(ctx, letter.ID(id, epoch))
	if errors.Is(err, letter.ErrNotFound) {
		return l, fmt.Errorf("%w: it is stored within a minute of parking; if not, look at the dead-letter subscription", ErrNoLetter)
	}
	return l, err
}

// again publishes a letter's event and removes the letter, in that order.
func (s *Settler) again(ctx context.Context, l letter.Letter, key, handler string) error {
	if err := s.publish(ctx, l, key, handler); err != nil {
		return err
	}
	return s.remove(ctx, l.ID)
}

// publish publishes a letter's event. A call's event stands on no topic: its caller
// brings it again.
func (s *Settler) publish(ctx context.Context, l letter.Letter, key, handler string) error {
	if once.FromCall(l) {
		return nil
	}
	topic := l.Topic
	if topic == "" {
		var err error
		if topic, err = s.c.Topics.TopicOf(ctx, l.Source); err != nil {
			return fmt.Errorf("find the topic to replay to: %w", err)
		}
	}
	if _, err := s.c.Publisher.Publish(ctx, topic, letter.Again(l, key, handler)); err != nil {
		return fmt.Errorf("publish the event again: %w", err)
	}
	return nil
}

func (s *Settler) remove(ctx context.Context, letterID string) error {
	if err := s.c.Letters.Delete(ctx, letterID); err != nil {
		return fmt.Errorf("remove letter: %w", err)
	}
	return nil
}
