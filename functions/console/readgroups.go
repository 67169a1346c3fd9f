package console

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

// Groups is every group as it stands now.
type Groups struct {
	At        *time.Time `json:"at,omitempty"` // the store's time; absent when it was never read
	StateDown bool       `json:"stateDown"`    // the rest is as last known
	Policy    string     `json:"policy"`
	Mode      string     `json:"mode"`
	Default   string     `json:"default"`
	Overflow  string     `json:"overflow,omitempty"`
	Groups    []Group    `json:"groups"`
}

// Group is one of them.
type Group struct {
	Candidate
	Topic       string       `json:"topic"`
	Open        bool         `json:"open"`
	Queues      []Queue      `json:"queues"`
	Draining    *Drain       `json:"draining,omitempty"`
	Reservation *Reservation `json:"reservation,omitempty"`
	Version     string       `json:"version"` // of reservation and draining

	Spark *Spark `json:"-"` // the last hour, where there is one
}

// Total is the group's backlog over all of its queues, in messages.
func (g Group) Total() (sum float64) {
	for _, q := range g.Queues {
		if q.Backlog != nil {
			sum += *q.Backlog
		}
	}
	return sum
}

// Candidate is a group as it stands, or stood, to a campaign.
type Candidate struct {
	Group      string   `json:"group"`
	Score      *float64 `json:"score,omitempty"` // seconds in mode drain, else messages; absent: none
	Sampled    *float64 `json:"sampled,omitempty"`
	Correction *float64 `json:"correction,omitempty"`
	Data       string   `json:"data"`
	SampleAge  float64  `json:"sampleAgeSeconds"`
	Capacity   float64  `json:"capacity"` // messages per second
	Why        string   `json:"why,omitempty"`
}

// Queue is one of a group's.
type Queue struct {
	Name         string   `json:"name"`
	Topic        string   `json:"topic"`
	Subscription string   `json:"subscription"`
	Backlog      *float64 `json:"backlog,omitempty"` // messages; absent: no series yet
	Data         string   `json:"data"`
	SampleAge    float64  `json:"sampleAgeSeconds"`
	OldestAge    float64  `json:"oldestUnackedSeconds"`
	Nominal      float64  `json:"nominalRate"` // messages per second
	Learned      float64  `json:"learnedRate"` // 0: none yet
}

// Drain says that a group takes no new campaigns.
type Drain struct {
	Since time.Time `json:"since"`
	Note  string    `json:"note,omitempty"`
	By    string    `json:"by"`
}

// Reservation keeps a group for customers.
type Reservation struct {
	Customers []string   `json:"customers"`
	Since     time.Time  `json:"since"`
	Until     *time.Time `json:"until,omitempty"`
	Note      string     `json:"note,omitempty"`
	By        string     `json:"by"`
}

// readGroups shows scores as the router knows them and the live state as it stands
// at this moment, so that whoever just changed it sees it changed.
func (h *Handler) readGroups(ctx context.Context) (Groups, error) {
	v, err := h.Router.View(ctx)
	if err != nil {
		return Groups{}, fmt.Errorf("read groups: %w", err)
	}
	live, err := h.Live.Load(ctx)
	if err != nil {
		live = v.Live
		live.ReadAt = v.At
		v.Down = err
	}
	out := Groups{StateDown: v.Down != nil, Policy: string(v.Policy), Mode: string(v.Mode), Default: h.Groups.Default, Overflow: h.Groups.Overflow}
	if !v.At.IsZero() {
		out.At = &v.At
	}
	standings := groups.Eligible(h.Groups, live, "", live.ReadAt)
	if live.ReadAt.IsZero() {
		standings = groups.OnlyOpen(h.Groups)
	}
	for i, g := range h.Groups.Groups {
		shown := h.showGroup(g, v, live)
		shown.Why = string(standings[i].Why)
		out.Groups = append(out.Groups, shown)
	}
	return out, nil
}

func (h *Handler) showGroup(g groups.Group, v route.View, live groups.Live) Group {
	out := Group{Candidate: Candidate{Group: g.ID, Data: string(route.Never)}, Topic: g.Topic(), Open: g.Open, Version: seen(live, g.ID)}
	if i := slices.IndexFunc(v.Candidates, func(c route.Candidate) bool { return c.Group == g.ID }); i >= 0 {
		out.Candidate = showCandidate(v.Candidates[i])
	}
	for _, q := range g.Queues {
		f := v.Figures[g.ID][q.Name]
		s := Queue{Name: q.Name, Topic: q.TopicName(), Subscription: q.SubscriptionName(), Data: string(f.Data(v.At)), Nominal: q.Rate, Learned: f.Rate}
		if !f.At.IsZero() {
			s.Backlog, s.SampleAge, s.OldestAge = &f.Backlog, v.At.Sub(f.At).Seconds(), f.OldestAge.Seconds()
		}
		out.Queues = append(out.Queues, s)
	}
	if d, ok := live.Draining[g.ID]; ok {
		out.Draining = &Drain{Since: d.Since, Note: d.Note, By: d.By}
	}
	if r, ok := live.Reservations[g.ID]; ok && !r.Ended(live.ReadAt) {
		out.Reservation = &Reservation{Customers: r.Customers, Since: r.Since, Note: r.Note, By: r.By}
		if !r.Until.IsZero() {
			out.Reservation.Until = &r.Until
		}
	}
	return out
}

func showCandidate(c route.Candidate) Candidate {
	return Candidate{
		Group: c.Group, Score: finite(c.Score), Sampled: finite(c.Sampled), Correction: finite(c.Correction), Data: string(c.Data),
		SampleAge: c.SampleAge.Seconds(), Capacity: c.Capacity, Why: c.Why,
	}
}

// finite leaves out what JSON can't say.
func finite(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}
