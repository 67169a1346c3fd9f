package main

import (
	"fmt"
	"slices"
	"strings"
)

// table is the results in Markdown.
func (r *results) table() string {
	var b strings.Builder
	if len(r.order) > 0 {
		b.WriteString("Mean completion over the oracle's, with 95 % confidence interval.\n\n")
		r.ratios(&b)
	}
	for _, name := range r.order {
		fmt.Fprintf(&b, "\n### %s\n\n", name)
		b.WriteString("| policy | ratio | 95 % interval | p95 ratio | p99 ratio | mean s | p95 s | p99 s | drain s | regret s | top share | violations |\n")
		b.WriteString("|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
		for _, p := range policies() {
			x := r.Regimes[name][p]
			fmt.Fprintf(&b, "| %s | %s | %s – %s | %s | %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f %% | %d |\n",
				p, short(x.Ratio), short(x.CI[0]), short(x.CI[1]), short(x.P95Ratio), short(x.P99Ratio),
				x.Mean, x.P95, x.P99, x.Drain, x.Regret, 100*x.TopShare, x.Violations)
		}
	}
	r.ages(&b)
	return b.String()
}

func (r *results) ratios(b *strings.Builder) {
	fmt.Fprintf(b, "| regime | %s |\n|---|%s\n", strings.Join(policies()[1:], " | "), strings.Repeat("---:|", len(policies())-1))
	for _, name := range r.order {
		fmt.Fprintf(b, "| %s |", name)
		for _, p := range policies()[1:] {
			x := r.Regimes[name][p]
			fmt.Fprintf(b, " %s ± %s |", short(x.Ratio), short((x.CI[1]-x.CI[0])/2))
		}
		b.WriteString("\n")
	}
}

func (r *results) ages(b *strings.Builder) {
	if len(r.Sweep) == 0 {
		return
	}
	names := make([]string, 0, len(r.Sweep[0].Policies))
	for p := range r.Sweep[0].Policies {
		if p != oracle {
			names = append(names, p)
		}
	}
	slices.Sort(names)
	fmt.Fprintf(b, "\n### realistic, by the age of its figures\n\n| age s | %s |\n|---:|%s\n", strings.Join(names, " | "), strings.Repeat("---:|", len(names)))
	for _, point := range r.Sweep {
		fmt.Fprintf(b, "| %g |", point.Age)
		for _, p := range names {
			x := point.Policies[p]
			fmt.Fprintf(b, " %s ± %s |", short(x.Ratio), short((x.CI[1]-x.CI[0])/2))
		}
		b.WriteString("\n")
	}
}

// short has three digits that tell something.
func short(x float64) string {
	switch {
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}
