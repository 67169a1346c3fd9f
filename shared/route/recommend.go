package route

import (
	"slices"
	"time"

	"onceway.internal/shared/groups"
)

// Recommend says how callers that know no campaign should spread the messages of
// one queue over the groups that are nobody's: so that, were each to get a
// period's work, all would be empty at the same time. Score makes one each period;
// it is valid for three.
func Recommend(c groups.Config, snap Snapshot, queue string, now time.Time, period time.Duration) Recommendation {
	r := Recommendation{Queue: queue, At: now, ValidUntil: now.Add(3 * period), Rule: ByCapacity}
	s := snap.settings()
	s.Mode = ModeDrain
	by := snap.bucketsOf()
	var fill []basin
	usable := false
	for _, st := range groups.Eligible(c, snap.Live, "", now) {
		k := slices.IndexFunc(st.Group.Queues, func(q groups.Queue) bool { return q.Name == queue })
		if st.Why != "" || k < 0 {
			continue
		}
		m := newModel(st.Group, k, snap, by[st.Group.ID], s)
		b := basin{topic: WeightedTopic{Topic: st.Group.Queues[k].TopicName(), Group: st.Group.ID}, capacity: m.capacity}
		if _, b.known = m.data(now); b.known {
			b.level, usable = m.at(now, nil, 0), true
		}
		fill = append(fill, b)
	}
	if usable {
		r.Rule = ByCorrected
	}
	if len(fill) == 0 && c.Overflow != "" {
		r.Rule, r.Topics = ByOverflow, []WeightedTopic{{Topic: c.Overflow, Weight: 1}}
		return r
	}
	r.Topics = pour(fill, period)
	return r
}

// RecommendBlind is for when there is no valid recommendation: a capacity share for
// every group that is nobody's, as far as live tells; without live, for those
// marked open, and without any of those everything for the default group.
func (r *Router) RecommendBlind(live *groups.Live, queue string, now time.Time) Recommendation {
	c, period := r.cfg.Groups, r.cfg.Period
	rec := Recommendation{Queue: queue, At: now, ValidUntil: now.Add(period), Rule: ByStateDownOpen}
	standings := groups.OnlyOpen(c)
	if live != nil {
		rec.Rule, standings = ByCapacity, groups.Eligible(c, *live, "", now)
	}
	var fill []basin
	for _, s := range standings {
		if q, ok := s.Group.Queue(queue); ok && s.Why == "" {
			fill = append(fill, basin{topic: WeightedTopic{Topic: q.TopicName(), Group: s.Group.ID}, capacity: q.Rate})
		}
	}
	if len(fill) == 0 {
		g, _ := c.Group(c.Default)
		if q, ok := g.Queue(queue); ok {
			rec.Rule, rec.Topics = ByStateDownDefault, []WeightedTopic{{Topic: q.TopicName(), Group: g.ID, Weight: 1}}
		}
		return rec
	}
	rec.Topics = pour(fill, period)
	return rec
}

// Draw answers with one of the topics by weight; at is from [0, 1).
func (r Recommendation) Draw(at float64) (WeightedTopic, bool) {
	for _, t := range r.Topics {
		if at -= t.Weight; at < 0 {
			return t, true
		}
	}
	if n := len(r.Topics); n > 0 {
		return r.Topics[n-1], true // weights sum to 1 but for rounding
	}
	return WeightedTopic{}, false
}

// basin is a group to pour messages into.
type basin struct {
	topic    WeightedTopic
	level    float64 // seconds until empty
	capacity float64 // messages per second
	known    bool    // else it gets its share by capacity
}

// pour gives each basin a weight: unknown ones by capacity, the others what they
// take when a period's work of all of them is poured over the lowest levels.
func pour(fill []basin, period time.Duration) []WeightedTopic {
	total, known := 0.0, 0.0
	for _, b := range fill {
		total += b.capacity
		if b.known {
			known += b.capacity
		}
	}
	slices.SortStableFunc(fill, func(a, b basin) int {
		switch {
		case a.level < b.level:
			return -1
		case a.level > b.level:
			return 1
		}
		return 0
	})
	top := surface(fill, known*period.Seconds())
	var out []WeightedTopic
	for _, b := range fill {
		w := b.topic
		w.Weight = b.capacity / total
		if b.known {
			w.Weight = max(0, top-b.level) * b.capacity / (known * period.Seconds()) * (known / total)
		}
		if w.Weight > 0 {
			out = append(out, w)
		}
	}
	return out
}

// surface is the level at which volume fills the known basins, sorted by level.
func surface(fill []basin, volume float64) float64 {
	area, held, top := 0.0, 0.0, 0.0 // held: what the basins under the surface hold at level 0
	for _, b := range fill {
		if !b.known {
			continue
		}
		if area > 0 && b.level >= top {
			break
		}
		area += b.capacity
		held += b.level * b.capacity
		top = (volume + held) / area
	}
	return top
}
