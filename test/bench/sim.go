package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// simResults is what the simulator wrote when it ran last; repeating it takes longer
// than all benches together.
const simResults = "test/sim/results/results.json"

// simulated repeats what the simulator found for the policy that is the default. It
// measures nothing itself, so its figures are context.
func simulated(_ context.Context, e *env) ([]figure, error) {
	text, err := os.ReadFile(filepath.Join(e.root, simResults))
	if err != nil {
		return nil, fmt.Errorf("read the simulator's results: %w", err)
	}
	var results struct {
		Regimes map[string]map[string]struct {
			Ratio     float64    `json:"ratio"`
			CI        [2]float64 `json:"ci"`
			Campaigns int        `json:"campaigns"`
		} `json:"regimes"`
	}
	if err := json.Unmarshal(text, &results); err != nil {
		return nil, fmt.Errorf("read the simulator's results: %w", err)
	}
	var figures []figure
	for _, regime := range []string{"balanced", "heavy", "realistic"} {
		r, ok := results.Regimes[regime]["corrected"]
		if !ok {
			return nil, fmt.Errorf("read the simulator's results: no regime %q with policy corrected", regime)
		}
		figures = append(figures, figure{
			Name: "sim/" + regime, Ratio: r.Ratio,
			Says: fmt.Sprintf("mean completion over an oracle's, %.2f to %.2f, %d campaigns; simulated before, see test/sim/results/results.md; "+
				"lowest backlog instead: %.2f", r.CI[0], r.CI[1], r.Campaigns, results.Regimes[regime]["lowest"].Ratio),
		})
	}
	return figures, nil
}
