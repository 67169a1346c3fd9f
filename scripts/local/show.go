package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// screen shows how things stand: on a terminal as a table in place, elsewhere as a
// line every few seconds.
type screen struct {
	out      io.Writer
	terminal bool
	stage    *stage
	begun    time.Time
	drawn    int // lines of the table that stands
	lines    int
}

func (s *screen) show(ctx context.Context) func(phase string, left time.Duration) {
	s.begun = time.Now()
	return func(phase string, left time.Duration) {
		if !s.terminal {
			if s.lines%3 == 0 {
				fmt.Fprintln(s.out, s.line(phase))
			}
			s.lines++
			return
		}
		table := s.table(ctx, phase, left)
		if s.drawn > 0 {
			fmt.Fprintf(s.out, "\x1b[%dA\x1b[J", s.drawn)
		}
		fmt.Fprint(s.out, table)
		s.drawn = strings.Count(table, "\n")
	}
}

// line is how things stand in short.
func (s *screen) line(phase string) string {
	t := s.stage.ledger.Tally()
	deliveries, duplicates := s.stage.counts.Counts()
	runs, _, _ := s.stage.score.state()
	line := fmt.Sprintf("%4ds %s: %d published, %d deliveries (%d duplicates), %d acted, %d twice, %d repeated, %d waiting, %d dead letters; %d campaigns to %d groups, %d score runs",
		int(time.Since(s.begun).Seconds()), phase, t.Published, deliveries, duplicates, t.Acted, t.ActedTwice, t.Repeated, t.Lost, t.Parked+t.DeadLettered, t.Assigned, len(t.ByGroup), runs)
	if e := s.stage.loss.event(); e != "" {
		line += "; a worker was lost with " + e
	}
	return line
}

// table is how things stand in full.
func (s *screen) table(ctx context.Context, phase string, left time.Duration) string {
	var b strings.Builder
	deliveries, duplicates := s.stage.counts.Counts()
	runs, failed, _ := s.stage.score.state()
	fmt.Fprintf(&b, "%s, %v left   %d deliveries, %d duplicates   Score ran %d times (%d in vain)\n\n",
		phase, left.Round(time.Second), deliveries, duplicates, runs, failed)
	fmt.Fprintf(&b, "%-10s %9s %6s %6s %9s %8s %7s %12s\n", "events", "published", "acted", "twice", "repeated", "waiting", "parked", "dead letters")
	for _, kind := range kinds {
		t := s.stage.ledger.TallyOf(kind)
		fmt.Fprintf(&b, "%-10s %9d %6d %6d %9d %8d %7d %12d\n", kind, t.Published, t.Acted, t.ActedTwice, t.Repeated, t.Lost, t.Parked, t.DeadLettered)
	}
	s.groups(ctx, &b)
	if e := s.stage.loss.event(); e != "" {
		fmt.Fprintf(&b, "\nworker-1 was lost with %s in hand; worker-2 takes over when its lease is over\n", e)
	} else {
		fmt.Fprint(&b, "\n\n")
	}
	return b.String()
}

// groups shows each group's true backlog beside the score that routing works with.
func (s *screen) groups(ctx context.Context, b *strings.Builder) {
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	standings, err := s.stage.assign().groups(ctx)
	shown := map[string]standing{}
	for _, g := range standings {
		shown[g.Group] = g
	}
	byGroup := s.stage.ledger.Tally().ByGroup
	fmt.Fprintf(b, "\n%-6s %5s %s %9s %7s %10s  %s\n", "group", "rate", "  personalizer device-mapper delivery inbox", "campaigns", "score", "sample age", "for")
	for _, g := range s.stage.config.groups {
		fmt.Fprintf(b, "%-6s %3.0f/s ", g.id, g.rate)
		for i, name := range queueNames {
			n, _, _ := s.stage.backend.backlog(queue(g, name))
			fmt.Fprintf(b, "%*d", []int{14, 14, 9, 6}[i], n)
		}
		st, known := shown[g.id]
		score, age, who := "-", "-", "anyone"
		if known && err == nil && st.Data != "never" {
			score, age = fmt.Sprintf("%.1fs", st.Score), fmt.Sprintf("%.0fs", st.SampleAge)
		}
		if st.Reservation != nil {
			who = strings.Join(st.Reservation.Customers, ", ")
		}
		if st.Draining {
			who += " (draining)"
		}
		fmt.Fprintf(b, " %9d %7s %10s  %s\n", byGroup[g.id], score, age, who)
	}
}
