package route_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

// crowd is n groups with fresh figures and entries ledger buckets among them.
func crowd(n, entries int) (groups.Config, route.Snapshot) {
	c := groups.Config{Default: "g0"}
	snap := route.Snapshot{At: at(300), Figures: route.Figures{}}
	for i := range n {
		g := groups.Group{ID: fmt.Sprint("g", i)}
		figures := map[string]route.Figure{}
		for k := range 4 {
			name := fmt.Sprint("q", k)
			g.Queues = append(g.Queues, groups.Queue{Name: name, Topic: g.ID + name, Project: "demo-project", Rate: 100, Fanout: 1})
			figures[name] = route.Figure{Backlog: float64(10 * i), At: at(60)}
		}
		c.Groups = append(c.Groups, g)
		snap.Figures[g.ID] = figures
	}
	for i := range entries {
		start := at(60).Truncate(route.BucketLength).Add(time.Duration(i%24) * route.BucketLength)
		snap.Ledger = append(snap.Ledger, route.Bucket{Group: fmt.Sprint("g", i%n), Start: start, Size: 1000, Count: 1, Largest: 1000})
	}
	return c, snap
}

// BenchmarkRank is a whole choice from a fresh read: replay of the ledger, and
// every group's score.
func BenchmarkRank(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("groups=%d/entries=%d", n, 10*n), func(b *testing.B) {
			c, snap := crowd(n, 10*n)
			campaign := route.Campaign{ID: "c", Size: 1000}
			for b.Loop() {
				route.Rank(c, snap, campaign, at(300))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/group")
		})
	}
}

// BenchmarkChoice is a choice between two reads, as nearly all are.
func BenchmarkChoice(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("groups=%d/entries=%d", n, 10*n), func(b *testing.B) {
			c, snap := crowd(n, 10*n)
			r, err := route.New(route.DefaultConfig(c), route.Deps{
				State: fixed{snap}, Now: func() time.Time { return at(300) }, Rand: rand.Float64,
				Token: func() string { return "" }, Log: slog.New(slog.DiscardHandler),
			})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := r.Preview(b.Context(), route.Campaign{ID: "c", Size: 1000}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/group")
		})
	}
}
