package claim

import (
	"context"
	"errors"
	"fmt"
)

// ErrUnresolved answers where nobody can tell whether a write happened. It counts
// as not ours.
var ErrUnresolved = errors.New("claim write could not be resolved")

// create writes a new record and finds out whose the stored one is. It answers
// with the stored record and nil if it is ours, ErrExists if it is somebody
// else's, ErrFull, or ErrUnresolved.
func (m *Machine) create(ctx context.Context, r Record) (Stored, error) {
	s, err := m.call(ctx, func(ctx context.Context) (Stored, error) { return m.c.Store.Create(ctx, r) })
	switch {
	case err == nil:
		m.c.Observe(Transition{"", ActCreate, r.State})
		return s, nil
	case errors.Is(err, ErrFull):
		return Stored{}, err
	}
	got, gerr := s, error(nil)
	if !errors.Is(err, ErrExists) || s.Version == "" {
		got, gerr = m.read(ctx, r.ID)
	}
	switch {
	case gerr != nil && !errors.Is(gerr, ErrUnreadable):
		return Stored{}, fmt.Errorf("%w: create: %w; read back: %w", ErrUnresolved, err, gerr)
	case got.WriteID == r.WriteID:
		m.c.Observe(Transition{"", ActCreate, r.State})
		return got, nil
	}
	return got, ErrExists
}

// swap replaces the record at the version of from, which must still be the stored
// one, and finds out whose the stored one then is. It answers with nil if the
// write is ours; with ErrConflict and the record that stands there instead; or
// with ErrUnresolved, in which case the write may still arrive later: a repeat must
// carry the same record.
func (m *Machine) swap(ctx context.Context, from Stored, act Act, to Record) (Stored, error) {
	t := Transition{from.State, act, to.State}
	if !allowed(t, from.Policy) {
		return Stored{}, fmt.Errorf("claim %s: no transition %s from %q to %s under %s", to.ID, act, from.State, to.State, from.Policy)
	}
	s, err := m.call(ctx, func(ctx context.Context) (Stored, error) {
		return m.c.Store.Swap(ctx, to.ID, from.Version, to)
	})
	if err == nil {
		m.c.Observe(t)
		return s, nil
	}
	got, gerr := m.read(ctx, to.ID)
	switch {
	case gerr != nil && !errors.Is(gerr, ErrUnreadable):
		return Stored{}, fmt.Errorf("%w: %s: %w; read back: %w", ErrUnresolved, act, err, gerr)
	case got.WriteID == to.WriteID:
		m.c.Observe(t)
		return got, nil
	case got.Version == from.Version:
		return got, fmt.Errorf("%w: %s: %w", ErrUnresolved, act, err)
	}
	return got, ErrConflict
}

// read reads back on a context of its own: a reply is most often lost because the
// caller's time is over, and then the answer is needed all the more.
func (m *Machine) read(ctx context.Context, id string) (Stored, error) {
	return m.call(context.WithoutCancel(ctx), func(ctx context.Context) (Stored, error) { return m.c.Store.Get(ctx, id) })
}

func (m *Machine) call(ctx context.Context, f func(context.Context) (Stored, error)) (Stored, error) {
	ctx, cancel := m.c.Clock.WithTimeout(ctx, m.c.StoreTimeout)
	defer cancel()
	return f(ctx)
}

// revise copies a stored record for its next write: a fresh write ID and one more
// step in the trace.
func (m *Machine) revise(s Stored, to State, by string) Record {
	r := s.Record
	r.State = to
	r.WriteID = m.c.Token()
	r.ExpireAt, r.LeaseEnd = zeroTime, zeroTime
	if to == Done || to == Dead {
		r.ExpireAt = s.Now.Add(m.c.TTL)
	}
	r.Trace = appendStep(r.Trace, Step{At: m.c.Clock.Now().Round(0).UTC(), From: s.State, To: to, By: by, Epoch: r.Epoch})
	return r
}
