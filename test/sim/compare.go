package main

import (
	"fmt"
	"io"
	"runtime"
	"sync"
)

// task is a regime with the policies to compare in it, the oracle among them.
type task struct {
	regime   regime
	policies []string
	age      float64 // of figures, in the sweep
	swept    bool

	firstSeed int
}

// results is what --json prints.
type results struct {
	Regimes map[string]map[string]result `json:"regimes"`
	Sweep   []point                      `json:"sweep,omitempty"`

	order []string // regimes in the file's order
}

// point is one age of the sweep.
type point struct {
	Age      float64           `json:"age_seconds"`
	Policies map[string]result `json:"policies"`
}

// result is one policy in one regime over all seeds. Ratios are to the oracle's
// run of the same seed.
type result struct {
	Ratio      float64    `json:"ratio"` // of mean completion times
	CI         [2]float64 `json:"ci"`    // 95 %
	P95Ratio   float64    `json:"p95_ratio"`
	P99Ratio   float64    `json:"p99_ratio"`
	TopShare   float64    `json:"top_share"`
	Mean       float64    `json:"mean_seconds"`
	P95        float64    `json:"p95_seconds"`
	P99        float64    `json:"p99_seconds"`
	Drain      float64    `json:"drain_seconds"`
	Regret     float64    `json:"regret_seconds"` // mean over the oracle's
	Violations int        `json:"reservation_violations"`
	Campaigns  int        `json:"campaigns"`
	Seeds      int        `json:"seeds"`
}

// runAll simulates every seed of every task on all processors.
func runAll(plan []task, progress io.Writer) (*results, error) {
	type job struct{ task, seed int }
	jobs := make(chan job)
	outcomes := make([][]map[string]outcome, len(plan))
	var mu sync.Mutex
	var failed error
	var wg sync.WaitGroup
	left := make([]int, len(plan))
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for j := range jobs {
				t := plan[j.task]
				byPolicy, err := pair(t, t.firstSeed+j.seed)
				mu.Lock()
				outcomes[j.task][j.seed] = byPolicy
				if err != nil && failed == nil {
					failed = err
				}
				if left[j.task]--; left[j.task] == 0 {
					fmt.Fprintf(progress, "%s: %d seeds\n", t.regime.Name, t.regime.Seeds)
				}
				mu.Unlock()
			}
		})
	}
	for i, t := range plan {
		mu.Lock()
		outcomes[i], left[i] = make([]map[string]outcome, t.regime.Seeds), t.regime.Seeds
		mu.Unlock()
		for s := range t.regime.Seeds {
			jobs <- job{i, s}
		}
	}
	close(jobs)
	wg.Wait()
	if failed != nil {
		return nil, failed
	}
	return gather(plan, outcomes), nil
}

// pair runs all policies on one seed's world.
func pair(t task, seed int) (map[string]outcome, error) {
	by := make(map[string]outcome, len(t.policies))
	for _, p := range t.policies {
		o, err := simulate(t.regime, p, seed)
		if err != nil {
			return nil, err
		}
		by[p] = o
	}
	return by, nil
}

func gather(plan []task, outcomes [][]map[string]outcome) *results {
	all := &results{Regimes: map[string]map[string]result{}}
	for i, t := range plan {
		by := make(map[string]result, len(t.policies))
		for _, p := range t.policies {
			by[p] = compared(outcomes[i], p)
		}
		if t.swept {
			all.Sweep = append(all.Sweep, point{t.age, by})
			continue
		}
		all.Regimes[t.regime.Name] = by
		all.order = append(all.order, t.regime.Name)
	}
	return all
}

// compared puts one policy's outcomes together, seed by seed beside the oracle's.
func compared(seeds []map[string]outcome, policy string) result {
	of := func(value func(o, best outcome) float64) []float64 {
		xs := make([]float64, len(seeds))
		for i, by := range seeds {
			xs[i] = value(by[policy], by[oracle])
		}
		return xs
	}
	ratios := of(func(o, best outcome) float64 { return o.mean / best.mean })
	r := result{
		Ratio: mean(ratios), CI: interval(ratios), Seeds: len(seeds),
		P95Ratio: mean(of(func(o, best outcome) float64 { return o.p95 / best.p95 })),
		P99Ratio: mean(of(func(o, best outcome) float64 { return o.p99 / best.p99 })),
		TopShare: mean(of(func(o, _ outcome) float64 { return o.topShare })),
		Mean:     mean(of(func(o, _ outcome) float64 { return o.mean })),
		P95:      mean(of(func(o, _ outcome) float64 { return o.p95 })),
		P99:      mean(of(func(o, _ outcome) float64 { return o.p99 })),
		Drain:    mean(of(func(o, _ outcome) float64 { return o.drain })),
		Regret:   mean(of(func(o, best outcome) float64 { return o.mean - best.mean })),
	}
	for _, by := range seeds {
		r.Violations += by[policy].violations
		r.Campaigns += by[policy].campaigns
	}
	return r
}
