package score

import (
	"context"
	"errors"
	"time"

	"onceway.internal/shared/backlog"
	"onceway.internal/shared/backlog/monitoring"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

// gauge writes the gauges back, if there is a place for them.
func (h *Handler) gauge(ctx context.Context, snap route.Snapshot, now time.Time, sum *Summary) {
	if h.cfg.Gauges == nil {
		return
	}
	done, err := h.cfg.Gauges.Write(ctx, gauges(h.cfg.Groups, snap, now))
	sum.Calls.Gauges += done.Calls
	sum.Gauges = GaugeCount{Written: done.Points, NotNewer: done.NotNewer}
	if err == nil {
		return
	}
	var e *backlog.Error
	if errors.As(err, &e) {
		sum.fail(e.Project, e.Part, err)
		return
	}
	sum.fail("", "gauges", err)
}

// gauges is what a run found, as points of now.
func gauges(c groups.Config, snap route.Snapshot, now time.Time) []monitoring.Gauge {
	var all []monitoring.Gauge
	for _, candidate := range route.Rank(c, snap, route.Campaign{}, now) {
		if candidate.Data != route.Never {
			all = append(all, monitoring.Gauge{Metric: monitoring.GroupScore, Group: candidate.Group, At: now, Value: candidate.Score})
		}
	}
	for _, g := range c.Groups {
		// An autoscaler takes the largest of its metrics, so this one stands alone:
		// what the first queue should hold by now, whatever Monitoring shows yet.
		first := g.Queues[0]
		all = append(all, monitoring.Gauge{
			Metric: monitoring.ExpectedBacklog, Group: g.ID, Queue: first.Name, Subscription: first.Subscription,
			At: now, Value: route.ExpectedBacklog(g, snap, now),
		})
		for _, q := range g.Queues {
			if f := snap.Figures[g.ID][q.Name]; !f.At.IsZero() {
				all = append(all, monitoring.Gauge{
					Metric: monitoring.SampleAge, Group: g.ID, Queue: q.Name, Subscription: q.Subscription,
					At: now, Value: max(0, now.Sub(f.At).Seconds()),
				})
			}
		}
	}
	return all
}
