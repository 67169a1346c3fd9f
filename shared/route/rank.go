package route

import (
	"time"

	"onceway.internal/shared/groups"
)

// Rank says how every group of c, in the file's order, stands to a campaign at
// now (store time). With a zero campaign it shows the groups as they are.
func Rank(c groups.Config, snap Snapshot, camp Campaign, now time.Time) []Candidate {
	s := snap.settings()
	b := newBoard(c, snap, s)
	return b.rank(groups.Eligible(c, snap.Live, camp.Customer, now), nil, float64(camp.Size), now)
}

// ExpectedBacklog is how many messages the group's first queue should hold at
// now: the last sample, what was routed since, less what was drained.
func ExpectedBacklog(g groups.Group, snap Snapshot, now time.Time) float64 {
	s := snap.settings()
	s.Mode = ModeDrain
	first := g
	first.Queues = g.Queues[:1]
	m := newModel(first, 0, snap, snap.bucketsOf()[g.ID], s)
	return m.at(now, nil, 0) * m.capacity
}

func (s Snapshot) settings() Settings {
	if s.Settings == nil {
		return DefaultSettings()
	}
	return *s.Settings
}

func (s Snapshot) bucketsOf() map[string][]Bucket {
	by := make(map[string][]Bucket)
	for _, b := range s.Ledger {
		by[b.Group] = append(by[b.Group], b)
	}
	return by
}

// board is a snapshot made ready for choices.
type board struct {
	snap     Snapshot
	settings Settings
	models   []model              // in the file's order
	routed   map[string]time.Time // latest end of what the ledger routed to a group
}

func newBoard(c groups.Config, snap Snapshot, s Settings) *board {
	b := &board{snap: snap, settings: s, models: make([]model, len(c.Groups)), routed: make(map[string]time.Time)}
	by := snap.bucketsOf()
	for i, g := range c.Groups {
		b.models[i] = newModel(g, 0, snap, by[g.ID], s)
		for _, k := range by[g.ID] {
			if end := k.Start.Add(BucketLength); end.After(b.routed[g.ID]) {
				b.routed[g.ID] = end
			}
		}
	}
	return b
}

// rank makes a candidate of each standing; own are this process's choices that
// the snapshot lacks, by group.
func (b *board) rank(standings []groups.Standing, own map[string][]entry, size float64, now time.Time) []Candidate {
	all := make([]Candidate, len(standings))
	for i, s := range standings {
		m := &b.models[i]
		c := Candidate{Group: s.Group.ID, Sampled: m.sampled, Capacity: m.capacity, Why: string(s.Why)}
		c.Data, c.usable = m.data(now)
		c.share = !c.usable && c.Data != Never
		if c.Data != Never {
			c.SampleAge = now.Sub(m.tau)
		}
		routed := own[c.Group]
		c.Score = m.at(now, routed, size)
		c.Correction = m.at(now, routed, 0) - m.sampled
		if s.Reservation != nil {
			c.ReservedFor = len(s.Reservation.Customers)
		}
		all[i] = c
	}
	return all
}
