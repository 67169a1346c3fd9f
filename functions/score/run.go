package score

import (
	"context"
	"fmt"
	"time"

	"onceway.internal/shared/backlog"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

// Run does one run. The error says that it was in vain: the state could not be
// read, or no queue, or nothing could be written. What failed in part is listed
// in the Summary, which is filled as far as the run came.
func (h *Handler) Run(ctx context.Context) (Summary, error) {
	ctx, cancel := context.WithTimeout(ctx, h.cfg.Timeout)
	defer cancel()
	began := h.cfg.Now()
	var sum Summary
	err := h.run(ctx, began, &sum)
	sum.DurationMS = h.cfg.Now().Sub(began).Milliseconds()
	return sum, err
}

func (h *Handler) run(ctx context.Context, began time.Time, sum *Summary) error {
	// A minute more than the horizon, as the host's clock may be ahead of the store's.
	sum.Calls.State++
	snap, err := h.cfg.Store.Read(ctx, began.Add(-route.Horizon-time.Minute))
	if err != nil {
		sum.fail("", "state", fmt.Errorf("read routing state: %w", err))
		return errState
	}
	read := h.cfg.Now()
	storeNow := func() time.Time { return snap.At.Add(h.cfg.Now().Sub(read)) }

	all := queues(h.cfg.Groups)
	r := h.source(ctx, all)
	sum.read(all, r)
	snap.Figures = snap.Figures.Merge(next(h.cfg.Groups, snap.Figures, r, snap.At))

	written := h.write(ctx, &snap, storeNow(), sum)
	h.gauge(ctx, snap, storeNow(), sum)
	sum.states(h.cfg.Groups, snap.Figures, storeNow())
	switch {
	case !written:
		return errNothingWritten
	case len(r.Samples) == 0 && sum.unknown > 0:
		return errNothingRead
	}
	return nil
}

// source asks the source, which may take three fifths of the time, so that the
// rest is there to write what came.
func (h *Handler) source(ctx context.Context, all []backlog.Queue) backlog.Reading {
	ctx, cancel := context.WithTimeout(ctx, h.cfg.Timeout*3/5)
	defer cancel()
	return h.cfg.Source.Read(ctx, all)
}

// write stores what the run found; each part fails alone. It reports whether any
// was written. Where other runs wrote newer figures they stand in snap afterwards.
func (h *Handler) write(ctx context.Context, snap *route.Snapshot, now time.Time, sum *Summary) (written bool) {
	put := func(part string, err error) {
		sum.Calls.State++
		if err != nil {
			sum.fail("", part, fmt.Errorf("write %s: %w", part, err))
			return
		}
		written = true
	}
	merged, err := h.cfg.Store.PutFigures(ctx, snap.Figures)
	put("figures", err)
	if err == nil {
		snap.Figures = merged
	}
	var recommended []route.Recommendation
	for _, queue := range names(h.cfg.Groups) {
		recommended = append(recommended, route.Recommend(h.cfg.Groups, *snap, queue, now, h.cfg.Period))
	}
	put("recommendations", h.cfg.Store.PutRecommendations(ctx, recommended))
	put("history", h.cfg.Store.PutHistory(ctx, route.Past{
		At: now, Groups: route.Rank(h.cfg.Groups, *snap, route.Campaign{}, now), Backlogs: backlogs(snap.Figures),
	}))
	return written
}

// names lists the queue names of all groups, each once, in the file's order.
func names(c groups.Config) []string {
	var all []string
	seen := map[string]bool{}
	for _, g := range c.Groups {
		for _, q := range g.Queues {
			if !seen[q.Name] {
				seen[q.Name] = true
				all = append(all, q.Name)
			}
		}
	}
	return all
}

// backlogs are the figures that were ever sampled.
func backlogs(f route.Figures) map[string]map[string]float64 {
	all := make(map[string]map[string]float64, len(f))
	for group, queues := range f {
		all[group] = make(map[string]float64, len(queues))
		for queue, figure := range queues {
			if !figure.At.IsZero() {
				all[group][queue] = figure.Backlog
			}
		}
	}
	return all
}
