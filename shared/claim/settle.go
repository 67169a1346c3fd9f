package claim

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrTooEarly answers who says that a parked operation did not act while its owner
// may still be about to.
var ErrTooEarly = errors.New("too early to believe that it did not act")

// ErrState answers an act that the claim's state does not admit.
var ErrState = errors.New("claim's state does not admit this")

// SettleTime is the store time from which on NotDone is believed for a parked claim.
// A claim that does not say when its owner's lease ended is never believed.
func (m *Machine) SettleTime(s Stored) (time.Time, error) {
	if s.State != Indeterminate {
		return time.Time{}, fmt.Errorf("%w: it is %s, not %s", ErrState, s.State, Indeterminate)
	}
	if s.LeaseEnd.IsZero() {
		return time.Time{}, fmt.Errorf("%w: the record does not say when its lease ended", ErrUnreadable)
	}
	return s.LeaseEnd.Add(m.c.SettleAfter), nil
}

// MayRetry reports, by the store's clock, whether NotDone would be believed for s.
func (m *Machine) MayRetry(s Stored) error {
	at, err := m.SettleTime(s)
	if err != nil {
		return err
	}
	if !s.Now.After(at) {
		return fmt.Errorf("%w: wait %v more", ErrTooEarly, at.Sub(s.Now).Round(time.Millisecond))
	}
	return nil
}

// SettleDone records that a parked operation acted. by is "verify", or "operator" and who.
// s is the record as it was read before anybody was asked: if it changed since,
// ErrConflict comes with what stands there.
func (m *Machine) SettleDone(ctx context.Context, s Stored, by, reason string) (Stored, error) {
	if s.State != Indeterminate {
		return s, fmt.Errorf("%w: it is %s, not %s", ErrState, s.State, Indeterminate)
	}
	r := m.revise(s, Done, by)
	r.Owner, r.Reason = "", Cut(reason, MaxReason)
	return m.swap(ctx, s, ActSettle, r)
}

// SettleRetry records that a parked operation did not act, so that its event runs
// again: the caller republishes it next. s as in SettleDone; refused with
// ErrTooEarly until its owner can't act any more.
func (m *Machine) SettleRetry(ctx context.Context, s Stored, by, reason string) (Stored, error) {
	if err := m.MayRetry(s); err != nil {
		return s, err
	}
	return m.again(ctx, s, ActRetry, by, reason)
}

// Replay lets a dead event run again: the caller republishes it next.
func (m *Machine) Replay(ctx context.Context, s Stored, by, reason string) (Stored, error) {
	if s.State != Dead {
		return s, fmt.Errorf("%w: it is %s, not %s", ErrState, s.State, Dead)
	}
	return m.again(ctx, s, ActReplay, by, reason)
}

// again resets the attempts and raises the epoch, so that the letter of the old
// epoch is told apart from one that the next run may leave.
func (m *Machine) again(ctx context.Context, s Stored, act Act, by, reason string) (Stored, error) {
	from := s
	s.Epoch++
	r := m.revise(s, Retry, by)
	r.Owner, r.Attempts, r.Republish, r.Reason = "", 0, true, Cut(reason, MaxReason)
	return m.swap(ctx, from, act, r)
}
