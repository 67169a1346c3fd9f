package main

import (
	"context"
	"fmt"
	"time"
)

const (
	scoreRounds = 5
	// linearGoal is what ten times the queues may cost, over ten times the cost.
	linearGoal = 1.3
)

// score has the function Score run over 10, 100 and 1,000 queues, with Google's client
// on the stand-in for Cloud Monitoring and the state in memory, and compares what a
// run takes and what it calls with what ten times fewer queues take and with what is
// documented.
func score(ctx context.Context, e *env) ([]figure, error) {
	sizes := []int{10, 100, 1000}
	sites := make([]*site, len(sizes))
	sides := make([]side, len(sizes))
	for i, n := range sizes {
		s, err := openSite(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("%d queues: %w", n, err)
		}
		defer s.close()
		sites[i], sides[i] = s, side{fmt.Sprintf("%d queues", n), s.turn}
	}
	rounds, err := alternate(ctx, e.budget, scoreRounds, sides...)
	if err != nil {
		return nil, err
	}
	var figures []figure
	for i := 1; i < len(sizes); i++ {
		figures = append(figures, figure{
			Name: fmt.Sprintf("score/linear/%d", sizes[i]), Ratio: faster(rounds[i-1], rounds[i]) / 10, Goal: linearGoal, Most: true,
			Says: fmt.Sprintf("processor time over ten times that of %d queues: %s; %s", sizes[i-1], mean(rounds[i]), mean(rounds[i-1])),
		})
	}
	for i, n := range sizes {
		figures = append(figures, sites[i].calls(fmt.Sprintf("score/calls/%d", n)))
	}
	return figures, nil
}

func mean(rounds []round) string {
	t := total(rounds)
	return fmt.Sprintf("%s of processor a run, by the clock p50 %s, p99 %s, %.0f allocations, %d runs",
		short(t.Took/time.Duration(max(t.Count, 1))), short(t.quantile(0.5)), short(t.quantile(0.99)), float64(t.Allocs)/float64(max(t.Count, 1)), t.Count)
}
