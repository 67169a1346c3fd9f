package explore

import (
	"strings"

	"onceway.internal/shared/claim"
)

// hash folds what it is given, in order, into 64 bits.
type hash uint64

func newHash() hash { return 0x9e3779b97f4a7c15 }

func (h hash) num(x uint64) hash {
	z := (uint64(h) ^ x) + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return hash(z ^ z>>31)
}

func (h hash) str(s string) hash {
	x := uint64(14695981039346656037)
	for i := range len(s) {
		x = (x ^ uint64(s[i])) * 1099511628211
	}
	return h.num(x)
}

func (h hash) bool(b bool) hash {
	if b {
		return h.num(1)
	}
	return h.num(0)
}

// record folds what the code under test can decide by. Of times it knows only
// differences, and of tokens whether they are one's own: a token counts by its name
// only as long as somebody could know it again.
func (w *world) record(h hash, s claim.Stored) hash {
	h = h.str(string(s.State)).str(w.known(s.Owner)).str(w.known(s.WriteID)).str(string(s.Policy)).str(s.PayloadHash).
		num(uint64(s.Epoch)).num(uint64(s.Attempts)).bool(s.Republish).bool(s.ExpireAt.IsZero())
	switch {
	case s.State.Owned():
		h = h.num(uint64(w.now.Sub(s.Written)))
	case s.State == claim.Indeterminate:
		h = h.num(uint64(w.now.Sub(s.LeaseEnd)))
	}
	return h
}

func (w *world) known(token string) string {
	if w.s.whole {
		return token
	}
	name, _, ok := strings.Cut(token, ".")
	if !ok || w.remembered(name) {
		return token
	}
	return "gone"
}

// remembered reports whether anything of a process can still happen.
func (w *world) remembered(name string) bool {
	for _, p := range w.procs {
		if p.live && p.name == name {
			return true
		}
	}
	for _, f := range w.floating {
		if f.by.name == name {
			return true
		}
	}
	return false
}

// hash identifies the state of the world: two schedules that lead to one hash go on
// alike, as far as what is left of the bounds lets them. Processes count by what they
// saw, since they are deterministic; those that ended count no more.
func (w *world) hash() hash {
	h := newHash().bool(w.effects > 0).bool(w.lettered).num(uint64(maxAttempts*(1+w.retries) - w.runs))
	if w.s.destructive() {
		h = h.num(uint64(1 + w.believed - w.effects))
	}
	if w.s.whole {
		h = h.num(uint64(w.now.UnixNano())).num(uint64(w.effects)).num(uint64(w.runs))
	}
	if w.last != nil && w.last.live {
		h = h.str(w.last.name)
	}
	if w.rec != nil {
		h = w.record(h, *w.rec)
		if w.remembered(w.owner) {
			h = h.str(w.owner)
		}
		if w.rec.State.Owned() || w.rec.State == claim.Indeterminate {
			h = h.num(uint64(w.now.Sub(w.leaseEnd)))
		}
	}
	return w.hashOfProcs(w.hashOfEvents(h))
}

func (w *world) hashOfEvents(h hash) hash {
	for _, m := range w.messages {
		if !m.acked || w.left.again > 0 {
			h = h.num(2).bool(m.acked).str(m.to).str(m.hash)
		}
	}
	for _, l := range w.topic {
		h = h.num(3).str(l.id)
	}
	for _, l := range w.kept {
		h = h.num(4).str(l.id)
	}
	for _, f := range w.floating {
		h = h.num(5).str(f.record.WriteID)
	}
	return h
}

func (w *world) hashOfProcs(h hash) hash {
	for _, a := range w.hosts {
		h = h.num(6).num(uint64(a.started)).bool(a.cached)
	}
	for _, p := range w.procs {
		if p.live {
			h = h.num(7).str(p.name).num(uint64(p.hist)).bool(p.acted)
			if !p.at.timeless() {
				h = h.num(uint64(w.now.Sub(p.since)))
			}
		}
	}
	return h
}
