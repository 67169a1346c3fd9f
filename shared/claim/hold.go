package claim

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrLost answers an owner whose claim is no longer its own.
var ErrLost = errors.New("claim belongs to somebody else")

// Hold is a claim in its owner's hands. Its methods are safe for concurrent use
// (the heartbeat runs beside the handler) and happen one after another.
type Hold struct {
	m    *Machine
	bury bool

	mu     sync.Mutex
	stored Stored
	sent   time.Time       // host clock, before the last write that was certainly ours
	issued map[string]bool // write IDs of ours whose fate is open
}

func newHold(m *Machine, s Stored, sent time.Time, bury bool) *Hold {
	return &Hold{m: m, bury: bury, stored: s, sent: sent}
}

// Bury says that this claim was taken only to publish the dead letter.
func (h *Hold) Bury() bool { return h.bury }

// Stored answers with the record as this owner last wrote it.
func (h *Hold) Stored() Stored {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stored
}

// ProtectedUntil is when the lease ends at the latest by this host's monotonic
// clock: counted from before the last write was sent, so never later than the
// store's own reckoning.
func (h *Hold) ProtectedUntil() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sent.Add(h.stored.Lease)
}

// Begin records the point of no return. On an error the effect must not happen,
// even though the write may have.
func (h *Hold) Begin(ctx context.Context) error {
	if h.Stored().State == Effect {
		return nil
	}
	return h.attempt(ctx, func() (Act, Record) {
		return ActBegin, h.m.revise(h.stored, Effect, "owner")
	})
}

// Extend renews the lease. ErrLost or ErrState say that the claim is gone and the
// handler has to stop; after any other error the old lease still runs.
func (h *Hold) Extend(ctx context.Context) error {
	return h.attempt(ctx, func() (Act, Record) {
		next := h.stored.Record
		next.WriteID = h.m.c.Token()
		return ActExtend, next
	})
}

// Finish records that the handler acted, with its result. It tries again within
// the budget, since giving up leaves an effect that no record shows. A claim that
// was parked meanwhile under the same epoch is finished too.
func (h *Hold) Finish(ctx context.Context, result []byte) error {
	return h.insist(ctx, func() (Act, Record) {
		r := h.m.revise(h.stored, Done, "owner")
		r.Result, r.Reason, r.LastError = result, "", ""
		return ActFinish, r
	})
}

// Release gives the claim back for another attempt. noEffect says that the outside
// world certainly did not change; without it an at-most-once effect is not released.
func (h *Hold) Release(ctx context.Context, cause error, noEffect bool) error {
	act := ActRelease
	if noEffect {
		act = ActNoEffect
	}
	return h.insist(ctx, func() (Act, Record) {
		r := h.m.revise(h.stored, Retry, "owner")
		r.Owner, r.Reason, r.LastError = "", "retry", errorText(cause)
		return act, r
	})
}

// Park records that the effect may have happened. Its letter must be published already.
func (h *Hold) Park(ctx context.Context, reason string, cause error) error {
	return h.insist(ctx, func() (Act, Record) {
		return ActPark, h.m.parked(h.stored, "owner", reason, cause)
	})
}

// Kill records that the event was given up. Its letter must be published already.
func (h *Hold) Kill(ctx context.Context, reason string, cause error) error {
	return h.insist(ctx, func() (Act, Record) {
		r := h.m.revise(h.stored, Dead, "owner")
		r.Owner, r.Reason, r.LastError = "", Cut(reason, MaxReason), errorText(cause)
		return ActBury, r
	})
}

// Abandoned parks a claim whose at-most-once owner's lease is over. Its letter must
// be published already. ErrConflict comes with the record that stands there instead.
func (m *Machine) Abandoned(ctx context.Context, s Stored, reason string) (Stored, error) {
	return m.swap(ctx, s, ActPark, m.parked(s, "takeover", reason, errors.New("owner's lease ended inside its effect")))
}

// parked keeps owner and epoch: the owner itself may still report that it finished.
func (m *Machine) parked(s Stored, by, reason string, cause error) Record {
	r := m.revise(s, Indeterminate, by)
	r.LeaseEnd = s.Written.Add(s.Lease)
	r.Reason, r.LastError = Cut(reason, MaxReason), errorText(cause)
	return r
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return Cut(err.Error(), MaxError)
}
