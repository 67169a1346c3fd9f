package claim

import (
	"context"
	"errors"
	"fmt"
)

// Request is what a delivery wants to claim.
type Request struct {
	Handler, Key string
	Subject      string
	Policy       Policy
	PayloadHash  string
	Summary      string
	// Bury says that the event can't be run (its data is unreadable): the claim is
	// taken as CLAIMED whatever the policy, only to publish the dead letter.
	Bury bool
}

// Meeting is what a delivery found.
type Meeting int

// The meetings.
const (
	// Taken: the claim is the caller's: run, or bury if the Hold says so.
	Taken Meeting = iota + 1
	// Settled: DONE, DEAD or INDETERMINATE: nothing is left to do.
	Settled
	// Held: somebody may still act, or the record can't be read: wait, never acknowledge.
	Held
	// Abandoned: an at-most-once owner's lease ended inside its effect: park it.
	Abandoned
	// Mismatch: the key is known with another payload.
	Mismatch
)

// Encounter is the answer of Take: with a Hold if the claim was taken, with the
// record that stands there otherwise.
type Encounter struct {
	Meeting Meeting
	Hold    *Hold
	Met     Stored
}

// takeRaces bounds how often a takeover is tried again after losing to another delivery.
const takeRaces = 8

// Take creates the claim, or takes it over where nobody is protected. An error
// means that nothing is proven: the event must not be handled.
func (m *Machine) Take(ctx context.Context, q Request) (Encounter, error) {
	sent := m.c.Clock.Now()
	s, err := m.create(ctx, m.fresh(q))
	switch {
	case err == nil:
		return Encounter{Meeting: Taken, Hold: newHold(m, s, sent, q.Bury)}, nil
	case errors.Is(err, ErrExists):
		return m.Meet(ctx, q, s)
	}
	return Encounter{}, fmt.Errorf("take claim: %w", err)
}

// Meet judges a record that was read, and takes it over where nobody is protected.
func (m *Machine) Meet(ctx context.Context, q Request, s Stored) (Encounter, error) {
	for range takeRaces {
		if meeting := judge(q, s); meeting != Taken {
			return Encounter{Meeting: meeting, Met: s}, nil
		}
		sent := m.c.Clock.Now()
		bury := q.Bury || s.Attempts >= m.c.MaxAttempts
		got, err := m.swap(ctx, s, ActTakeover, m.successor(q, s, bury))
		switch {
		case err == nil:
			return Encounter{Meeting: Taken, Hold: newHold(m, got, sent, bury)}, nil
		case !errors.Is(err, ErrConflict):
			return Encounter{}, fmt.Errorf("take claim over: %w", err)
		}
		s = got
	}
	return Encounter{Meeting: Held, Met: s}, nil
}

// Look reads a record again, for a delivery that waits.
func (m *Machine) Look(ctx context.Context, id string) (Stored, error) {
	s, err := m.call(ctx, func(ctx context.Context) (Stored, error) { return m.c.Store.Get(ctx, id) })
	if errors.Is(err, ErrUnreadable) {
		return s, nil
	}
	return s, err
}

// judge says what a delivery has met. Taken means that it may take over.
func judge(q Request, s Stored) Meeting {
	switch {
	case !s.State.Known() || !s.Policy.Known():
		return Held
	case s.PayloadHash != q.PayloadHash:
		return Mismatch
	case s.State.Settled():
		return Settled
	case s.State == Retry:
		return Taken
	case !s.LeaseOver():
		return Held
	case s.State == Effect && !s.Policy.Repeatable():
		return Abandoned
	}
	return Taken
}

func (m *Machine) fresh(q Request) Record {
	now := m.c.Clock.Now().Round(0).UTC()
	r := Record{
		ID: ID(q.Handler, q.Key), Key: q.Key, Handler: q.Handler,
		Subject: Cut(q.Subject, MaxSubject), Policy: q.Policy, State: q.Policy.first(),
		Owner: m.c.Token(), Epoch: 1, WriteID: m.c.Token(), Attempts: 1, Lease: m.c.Lease,
		PayloadHash: q.PayloadHash, OperationID: OperationID(q.Handler, q.Key),
		CreatedAt: now, Summary: Cut(q.Summary, MaxSummary),
	}
	if q.Bury {
		r.State = Claimed
	}
	r.Trace = []Step{{At: now, To: r.State, By: "owner", Epoch: 1}}
	return r
}

// successor is the record with which a delivery takes s over. A takeover for a
// burial is no attempt. A repeatable effect that began stays under its policy.
func (m *Machine) successor(q Request, s Stored, bury bool) Record {
	policy := q.Policy
	if s.State == Effect {
		policy = s.Policy
	}
	to := policy.first()
	if bury {
		to = Claimed
	}
	s.Epoch++
	r := m.revise(s, to, "takeover")
	r.Policy, r.Owner, r.Lease, r.Republish = policy, m.c.Token(), m.c.Lease, false
	if !bury {
		r.Attempts++
		r.Subject, r.Summary = Cut(q.Subject, MaxSubject), Cut(q.Summary, MaxSummary)
	}
	return r
}
