package route

import (
	"context"
	"slices"
	"time"
)

// refresh makes sure that the last read is at most CacheFor old, or that it has
// failed within that time. One caller reads, the others wait for it. It answers
// an error only when ctx ended.
func (r *Router) refresh(ctx context.Context) error {
	if r.recent() {
		return nil
	}
	select {
	case r.reading <- struct{}{}:
		defer func() { <-r.reading }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if r.recent() {
		return nil
	}
	snap, sent, err := r.read(ctx)
	if ctx.Err() != nil {
		return ctx.Err() // the caller's end says nothing about the state
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.triedAt, r.down = r.now(), err
	if err != nil {
		r.log.Error("routing state can't be read", "event", "routing.state-down", "error", err)
		return nil
	}
	r.readAt = sent
	r.last = newBoard(r.cfg.Groups, snap, r.usableSettings(snap))
	r.forget(snap.At)
	return nil
}

func (r *Router) recent() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.triedAt.IsZero() && r.now().Sub(r.triedAt) < r.cfg.CacheFor
}

// read asks for the ledger as far back as any group's sample. The first read
// can only go by the host's clock; if that turns out to be ahead of the
// store's, it is repeated.
func (r *Router) read(ctx context.Context) (Snapshot, time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.ReadTimeout)
	defer cancel()
	sent := r.now()
	after := sent.Add(-Horizon)
	r.mu.Lock()
	first := r.last == nil
	if !first {
		after = r.oldestTau()
	}
	r.mu.Unlock()
	snap, err := r.state.Read(ctx, after)
	if err == nil && first && after.After(snap.At.Add(-Horizon)) {
		sent = r.now()
		snap, err = r.state.Read(ctx, snap.At.Add(-Horizon))
	}
	return snap, sent, err
}

// oldestTau is the earliest time from which the ledger may count. The caller holds mu.
func (r *Router) oldestTau() time.Time {
	now := r.storeNow()
	oldest, floor := now, now.Add(-Horizon)
	for _, m := range r.last.models {
		if m.tau.Before(oldest) {
			oldest = m.tau
		}
	}
	if oldest.Before(floor) {
		return floor
	}
	return oldest
}

func (r *Router) usableSettings(snap Snapshot) Settings {
	if snap.Settings == nil {
		return r.cfg.Settings
	}
	if err := snap.Settings.Validate(); err != nil {
		r.log.Error("stored routing settings are not usable", "event", "routing.bad-settings", "error", err)
		return r.cfg.Settings
	}
	return *snap.Settings
}

// forget drops the own choices that a snapshot of time at certainly holds. Those
// still being committed stay: counted twice for a moment is the safe side. The caller
// holds mu.
func (r *Router) forget(at time.Time) {
	for g, cs := range r.own {
		cs = slices.DeleteFunc(cs, func(c *choice) bool { return !c.committed.IsZero() && c.committed.Before(at) })
		if len(cs) == 0 {
			delete(r.own, g)
			continue
		}
		r.own[g] = cs
	}
}

// takeBack forgets a choice that was not recorded.
func (r *Router) takeBack(c *choice) {
	if c == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.own[c.group] = slices.DeleteFunc(r.own[c.group], func(o *choice) bool { return o == c })
}

// committed notes when the store took a choice.
func (r *Router) committed(c *choice, at time.Time) {
	if c == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c.committed = at
	if r.last != nil {
		r.forget(r.last.snap.At)
	}
}
