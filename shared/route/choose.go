package route

import (
	"cmp"
	"fmt"
	"slices"

	"onceway.internal/shared/groups"
)

// maxExplained bounds the candidates that a record keeps.
const maxExplained = 32

// choose applies the rules to what is known now. The caller holds mu.
func (r *Router) choose(c Campaign, rot *Rotation) (Assignment, error) {
	b, standings := r.known(c.Customer)
	now := r.storeNow()
	size := c.Size
	if size == 0 {
		size = b.settings.TypicalSize
	}
	t := &turn{
		all:      b.rank(standings, r.ownEntries(), float64(size), now),
		settings: b.settings, rand: r.rand, rotation: rot,
	}
	for i, cand := range t.all {
		if cand.Why != "" {
			continue
		}
		t.eligible = append(t.eligible, i)
		if cand.usable || cand.Data == Never && !r.probed(b, cand.Group) {
			t.usable = append(t.usable, i)
		}
	}
	a := Assignment{Campaign: c.ID, Customer: c.Customer, Size: size, Policy: b.settings.Policy, At: now, Token: r.token(), unread: r.down != nil}
	p := r.pick(t)
	a.Rule, a.Reason = p.rule, p.reason
	switch {
	case p.index >= 0:
		a.Group = t.all[p.index].Group
		g, _ := r.cfg.Groups.Group(a.Group)
		a.Topic = g.Topic()
	case p.rule == ByStateDownDefault:
		a.Group, a.Topic = r.cfg.Groups.Default, r.cfg.Groups.DefaultTopic()
	case r.cfg.Groups.Overflow != "":
		a.Topic = r.cfg.Groups.Overflow
	default:
		return Assignment{}, ErrNoGroup
	}
	a.Candidates = explain(t.all, a.Group)
	return a, nil
}

// known is the best knowledge there is of groups and reservations.
func (r *Router) known(customer string) (*board, []groups.Standing) {
	if r.last == nil {
		return r.blank, groups.OnlyOpen(r.cfg.Groups)
	}
	return r.last, groups.Eligible(r.cfg.Groups, r.last.snap.Live, customer, r.storeNow())
}

// pick answers with index -1 where no group is to be used.
func (r *Router) pick(t *turn) pick {
	switch {
	case len(t.eligible) == 0 && r.last == nil:
		return pick{-1, ByStateDownDefault, "state can't be read, no reservations known, no group open: the default topic"}
	case len(t.eligible) == 0:
		return pick{-1, ByOverflow, "every group is closed to this customer"}
	case r.down == nil:
		return policies[t.settings.Policy](t)
	}
	p := t.inTurn(t.eligible, ByStateDown)
	p.reason = fmt.Sprintf("state can't be read: in turn among %d, by capacity, reservations as last known", len(t.eligible))
	if r.last == nil {
		p.rule = ByStateDownOpen
		p.reason = fmt.Sprintf("state can't be read, no reservations known: in turn among %d open groups", len(t.eligible))
	}
	return p
}

// probed reports whether the group was given something within a scoring period.
func (r *Router) probed(b *board, group string) bool {
	now := r.storeNow()
	if end, ok := b.routed[group]; ok && end.After(now.Add(-r.cfg.Period)) {
		return true
	}
	for _, c := range r.own[group] {
		if c.at.After(now.Add(-r.cfg.Period)) {
			return true
		}
	}
	return false
}

// explain keeps the candidates that tell most: the chosen one, then those that
// could be chosen, lowest score first.
func explain(all []Candidate, chosen string) []Candidate {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Candidate) int {
		if d := cmp.Compare(btoi(b.Group == chosen), btoi(a.Group == chosen)); d != 0 {
			return d
		}
		if d := cmp.Compare(btoi(a.Why != ""), btoi(b.Why != "")); d != 0 {
			return d
		}
		return cmp.Compare(a.Score, b.Score)
	})
	return all[:min(len(all), maxExplained)]
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
