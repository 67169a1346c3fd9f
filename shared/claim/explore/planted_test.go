package explore

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/once"
)

// swaps is a store whose Swap is another one.
type swaps struct {
	claim.Store
	swap func(ctx context.Context, id, version string, r claim.Record) (claim.Stored, error)
}

func (s swaps) Swap(ctx context.Context, id, version string, r claim.Record) (claim.Stored, error) {
	return s.swap(ctx, id, version, r)
}

// rewritten changes what is written.
func rewritten(f func(*claim.Record)) func(*world, claim.Store) claim.Store {
	return func(_ *world, s claim.Store) claim.Store {
		return swaps{s, func(ctx context.Context, id, version string, r claim.Record) (claim.Stored, error) {
			f(&r)
			return s.Swap(ctx, id, version, r)
		}}
	}
}

// careless takes over whatever stands there, without a compare-and-swap.
func careless(w *world, s claim.Store) claim.Store {
	return swaps{s, func(ctx context.Context, id, version string, r claim.Record) (claim.Stored, error) {
		taking := r.State.Owned() && r.Epoch > 1 && !strings.HasPrefix(w.rec.Owner, w.cur.name)
		got, err := s.Swap(ctx, id, version, r)
		if taking && errors.Is(err, claim.ErrConflict) {
			return w.commit(w.cur, false, w.rec.Version, r)
		}
		return got, err
	}}
}

// trusting takes a write for its own if owner and epoch are: it answers a reader with
// the write ID that the reader wrote last under them.
type trusting struct {
	claim.Store
	w    *world
	sent map[string]claim.Record // by process
}

func (s trusting) Swap(ctx context.Context, id, version string, r claim.Record) (claim.Stored, error) {
	s.sent[s.w.cur.name] = r
	return s.Store.Swap(ctx, id, version, r)
}

func (s trusting) Get(ctx context.Context, id string) (claim.Stored, error) {
	got, err := s.Store.Get(ctx, id)
	if r, ok := s.sent[s.w.cur.name]; ok && err == nil && got.Owner == r.Owner && got.Epoch == r.Epoch {
		got.WriteID = r.WriteID
	}
	return got, err
}

// hostTime measures leases by the reading host's clock instead of the store's.
type hostTime struct {
	claim.Store
	w *world
}

func (s hostTime) Get(ctx context.Context, id string) (claim.Stored, error) {
	got, err := s.Store.Get(ctx, id)
	got.Now = hostClock{s.w, s.w.cur.host.skew}.Now()
	return got, err
}

// early reads parked claims as if the wait for NotDone were over.
type early struct{ claim.Lister }

func (l early) List(ctx context.Context, state claim.State, page string, limit int) ([]claim.Stored, string, error) {
	records, next, err := l.Lister.List(ctx, state, page, limit)
	for i := range records {
		records[i].Now = records[i].Now.Add(lease + settleAfter + time.Second)
	}
	return records, next, err
}

// faults are the bugs that a wrong implementation would have, each with a world in
// which it shows and the kind of violation that has to be found.
var faults = []struct {
	bug  string
	kind string
	s    scenario
	deep bool // it hides so deep that it is looked for within the full bounds only
}{
	{"acknowledge an in-flight duplicate", "ack", scenario{
		policy: claim.AtLeastOnce, bounds: bounds{onA: 1, onB: 1, switches: 1},
		plant: plant{ack: func(_ *proc, rep once.Report) bool { return rep.Outcome == once.InFlight }},
	}, false},
	{"take by a non-owner without compare-and-swap", "final", scenario{
		policy: claim.AtLeastOnce, bounds: bounds{onA: 2, switches: 2},
		plant: plant{store: careless},
	}, false},
	{"prove ownership by owner and epoch instead of writeID", "ack", scenario{
		policy: claim.AtMostOnce, bounds: bounds{onA: 1, faults: 1},
		plant: plant{store: func(w *world, s claim.Store) claim.Store {
			return trusting{s, w, map[string]claim.Record{}}
		}},
	}, false},
	{"one owner token per process", "effect", scenario{
		policy: claim.AtMostOnce, bounds: bounds{onA: 2, switches: 1},
		plant: plant{token: func(p *proc) string { return p.host.name + ".1" }},
	}, false},
	{"ack when completing failed", "ack", scenario{
		policy: claim.AtMostOnce, bounds: bounds{onA: 1, faults: 2},
		plant: plant{ack: func(p *proc, rep once.Report) bool { return rep.Outcome == once.StoreDown && p.acted }},
	}, false},
	{"INDETERMINATE to RETRY without republishing", "lost", scenario{
		policy: claim.AtMostOnce, sweep: true, bounds: bounds{onA: 2, mishaps: 1, acts: 1},
		plant: plant{dropped: true},
	}, false},
	{"believe NotDone before settleAfter", "effect", scenario{
		policy: claim.AtMostOnce, sweep: true, bounds: bounds{onA: 2, onB: 1, acts: 1, switches: 1},
		plant: plant{lister: func(_ *world, l claim.Lister) claim.Lister { return early{l} }},
	}, true},
	{"DEAD out of an at-most-once EFFECT", "dead", scenario{
		policy: claim.AtMostOnce, bounds: bounds{onA: 1, mishaps: 1},
		plant: plant{store: rewritten(func(r *claim.Record) {
			if r.State == claim.Indeterminate {
				r.State, r.ExpireAt = claim.Dead, time.Unix(2_000_000_000, 0)
			}
		})},
	}, false},
	{"TTL on INDETERMINATE", "ttl", scenario{
		policy: claim.AtMostOnce, bounds: bounds{onA: 1, mishaps: 1},
		plant: plant{store: rewritten(func(r *claim.Record) {
			if r.State == claim.Indeterminate {
				r.ExpireAt = time.Unix(2_000_000_000, 0)
			}
		})},
	}, false},
	{"lease by host clock", "takeover", scenario{
		policy: claim.AtLeastOnce, skewB: time.Hour, bounds: bounds{onA: 1, onB: 1, switches: 1},
		plant: plant{store: func(w *world, s claim.Store) claim.Store { return hostTime{s, w} }},
	}, false},
	{"park without a letter", "letter", scenario{
		policy: claim.AtMostOnce, bounds: bounds{onA: 1, mishaps: 1},
		plant: plant{noLetter: true},
	}, false},
	{"a person looks at the world before the claim is read", "effect", scenario{
		policy: claim.AtMostOnce, person: true, bounds: bounds{onA: 1, onB: 1, acts: 1, switches: 2},
		plant: plant{lookOnly: true},
	}, true},
}

func TestEveryPlantedBugIsCaughtWithItsShortestTrace(t *testing.T) {
	t.Parallel()
	for _, f := range faults {
		if f.deep && !*full {
			continue
		}
		t.Run(strings.ReplaceAll(f.bug, " ", "-"), func(t *testing.T) {
			t.Parallel()
			got := search(f.s, 1<<20, f.s.plant.lookOnly)
			if got.violated == nil {
				t.Fatalf("explored %d schedules without noticing it", got.schedules)
			}
			if got.violated.kind != f.kind || len(got.trace) == 0 {
				t.Errorf("found %q in %d steps, want %q", got.violated.kind, len(got.trace), f.kind)
			}
			t.Logf("planted: %s: caught after %d schedules, in %d steps:\n%s", f.bug, got.schedules, len(got.trace), tell(f.s, got.trace))
			clean := f.s
			clean.plant = plant{}
			if got := search(clean, got.schedules, false); got.violated != nil {
				t.Errorf("without the bug there is a violation too: %v", got.violated)
			}
		})
	}
}
