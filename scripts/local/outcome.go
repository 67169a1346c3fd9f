package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// readAgain is how long routing works with the figures that it read last.
const readAgain = time.Second

// outcome is what a run came to: all counted by the witness but the rules, which the
// Assign API tells.
type outcome struct {
	Events struct {
		Published    int `json:"published"`
		Deliveries   int `json:"deliveries"`
		Duplicates   int `json:"duplicates"`
		Acted        int `json:"acted"`
		ActedTwice   int `json:"acted_twice"`
		Repeated     int `json:"repeated"`
		Lost         int `json:"lost"`
		Parked       int `json:"parked"`
		DeadLettered int `json:"dead_lettered"`
	} `json:"events"`
	Campaigns struct {
		Assigned int            `json:"assigned"`
		ByGroup  map[string]int `json:"by_group"`
		// ByRule and AfterScore count the rules of all assignments, and of those made
		// after the first Score run, once routing had read what it wrote.
		ByRule     map[string]int `json:"by_rule"`
		AfterScore map[string]int `json:"by_rule_after_first_score"`
	} `json:"campaigns"`
	OK bool `json:"ok"`

	stray  int
	worst  []string // events that acted twice or were lost
	took   time.Duration
	scored int
	worker string // the event that the lost worker had in hand
}

func (s *stage) outcome(ctx context.Context, p *publisher, took time.Duration) (*outcome, error) {
	o, t := &outcome{took: took, worker: s.loss.event()}, s.ledger.Tally()
	e := &o.Events
	e.Deliveries, e.Duplicates = s.counts.Counts()
	e.Published, e.Acted, e.ActedTwice, e.Repeated = t.Published, t.Acted, t.ActedTwice, t.Repeated
	e.Lost, e.Parked, e.DeadLettered = t.Lost, t.Parked, t.DeadLettered
	o.Campaigns.Assigned, o.Campaigns.ByGroup = t.Assigned, t.ByGroup
	o.OK, o.stray = t.OK(), t.Stray
	o.worst = append(s.ledger.Twice(), s.ledger.Lost()...)
	return o, s.rules(ctx, p, o)
}

// rules asks why each campaign that reached a group went there.
func (s *stage) rules(ctx context.Context, p *publisher, o *outcome) error {
	runs, _, first := s.score.state()
	o.scored = runs
	o.Campaigns.ByRule, o.Campaigns.AfterScore = map[string]int{}, map[string]int{}
	api := s.assign()
	for _, c := range p.sentCampaigns() {
		if len(s.ledger.Acts(c.name)) == 0 {
			continue
		}
		v, err := api.about(ctx, c)
		if err != nil {
			return err
		}
		o.Campaigns.ByRule[v.Rule]++
		if !first.IsZero() && v.At.After(first.Add(readAgain)) {
			o.Campaigns.AfterScore[v.Rule]++
		}
	}
	return nil
}

func (o *outcome) writeJSON(w io.Writer) error {
	if err := json.NewEncoder(w).Encode(o); err != nil {
		return fmt.Errorf("print the outcome: %w", err)
	}
	return nil
}

// write is the outcome for people.
func (o *outcome) write(w io.Writer) {
	e, c := o.Events, o.Campaigns
	line := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	line("")
	line("After %v, as the witness counted:", o.took.Round(time.Second))
	line("  %4d events published, delivered %d times, %d of these again", e.Published, e.Deliveries, e.Duplicates)
	line("  %4d acted; twice though at most once: %d; again, at least once: %d", e.Acted, e.ActedTwice, e.Repeated)
	line("  %4d parked, %d dead-lettered, %d lost", e.Parked, e.DeadLettered, e.Lost)
	if o.worker != "" {
		line("       one worker was lost with %s in hand", o.worker)
	}
	line("  %4d campaigns went to %d groups: %s", c.Assigned, len(c.ByGroup), counted(c.ByGroup))
	line("       by rule: %s", counted(c.ByRule))
	line("       after the first of %d Score runs: %s", o.scored, counted(c.AfterScore))
	for _, name := range o.worst[:min(len(o.worst), 10)] {
		line("  wrong: %s", name)
	}
	if o.stray > 0 {
		line("  wrong: %d effects that belong to no event", o.stray)
	}
	if o.OK {
		line("ok: everything acted once, nothing was lost.")
	} else {
		line("NOT ok.")
	}
}

func counted(m map[string]int) string {
	if len(m) == 0 {
		return "none"
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
	}
	return strings.Join(parts, ", ")
}

func trimSlash(s string) string { return strings.TrimSuffix(s, "/") }
