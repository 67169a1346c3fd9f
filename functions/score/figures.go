package score

import (
	"time"

	"onceway.internal/shared/backlog"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

// queues lists every queue as a source knows it, each once.
func queues(c groups.Config) []backlog.Queue {
	var all []backlog.Queue
	for _, g := range c.Groups {
		for _, q := range g.Queues {
			all = append(all, name(g, q))
		}
	}
	return all
}

func name(g groups.Group, q groups.Queue) backlog.Queue {
	return backlog.Queue{Group: g.ID, Name: q.Name, Project: q.Project, Subscription: q.Subscription}
}

// next is every queue's figure after a reading that was asked for at checked. A
// queue that could not be asked for keeps the figure it had.
func next(c groups.Config, had route.Figures, r backlog.Reading, checked time.Time) route.Figures {
	figures := make(route.Figures, len(c.Groups))
	for _, g := range c.Groups {
		figures[g.ID] = make(map[string]route.Figure, len(g.Queues))
		for _, q := range g.Queues {
			f, id := had[g.ID][q.Name], name(g, q)
			if !r.Unknown(id) {
				f = f.Next(reading(r, id), checked, q.Rate)
			}
			figures[g.ID][q.Name] = f
		}
	}
	return figures
}

// reading is a sample as routing takes it; nil where there is none.
func reading(r backlog.Reading, q backlog.Queue) *route.Reading {
	s, ok := r.Samples[q]
	if !ok {
		return nil
	}
	to := &route.Reading{Backlog: float64(s.Undelivered), At: s.At, OldestAge: s.Oldest}
	// Live figures come with a flow that Monitoring saw: only while that is recent.
	if f := s.Flow; f != nil && s.At.Sub(f.To) <= route.FreshFor {
		to.Flow = &route.Flow{From: f.From, To: f.To, Acked: float64(f.Acked), Before: float64(f.Before)}
	}
	return to
}
