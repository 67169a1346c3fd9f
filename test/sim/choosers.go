package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"time"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/groups/memgroups"
	"onceway.internal/shared/route"
	"onceway.internal/shared/route/memroute"
)

// Policies that exist here alone.
const (
	oracle         = "oracle"
	random         = "random"
	capacityRandom = "capacity-random"
)

// policies lists what is compared, the oracle first.
func policies() []string {
	all := []string{oracle}
	for _, p := range route.Policies() {
		all = append(all, string(p))
	}
	return append(all, capacityRandom, random)
}

// chooser answers with the number of a group.
type chooser func(c *campaign) int

// product is the state and routers that are under test, on the simulation's clock.
type product struct {
	config groups.Config
	live   *memgroups.Store
	store  *memroute.Store
	clock  func() time.Time
}

func newProduct(r regime, t *traffic, queues []string, clock func() time.Time) (*product, error) {
	p := &product{clock: clock, config: groups.Config{Default: "g1"}, live: memgroups.New(clock)}
	for g := range r.Factors {
		group := groups.Group{ID: "g" + strconv.Itoa(g+1)}
		for k, queue := range queues {
			id := group.ID + "-" + queue
			group.Queues = append(group.Queues, groups.Queue{
				Name: queue, Topic: id, Subscription: id, Project: "demo-project", Rate: t.nominal[g][k], Fanout: r.Fanout[k], Weight: 1,
			})
		}
		p.config.Groups = append(p.config.Groups, group)
	}
	var err error
	if p.store, err = memroute.New(p.live, clock); err != nil {
		return nil, err
	}
	live, err := p.live.Load(context.Background())
	if err != nil {
		return nil, err
	}
	for g, customers := range r.Reserved {
		id := "g" + strconv.Itoa(g)
		live.Reservations[id] = groups.Reservation{Group: id, Customers: customers, By: "sim"}
	}
	_, err = p.live.Swap(context.Background(), live)
	return p, err
}

// routed chooses by the product's routers, each with randomness of its own.
func (p *product) routed(r regime, policy string, seed int) (chooser, error) {
	rs := make([]*route.Router, r.Routers)
	tokens := 0
	for i := range rs {
		cfg := route.DefaultConfig(p.config)
		cfg.Period = time.Duration(r.ScoreEvery * float64(time.Second))
		cfg.Settings.Policy, cfg.Settings.Static = route.Policy(policy), "g1"
		cfg.Settings.TypicalSize = int64(r.Size)
		var err error
		rs[i], err = route.New(cfg, route.Deps{
			State: p.store, Now: p.clock, Rand: stream(seed, "router "+strconv.Itoa(i)).Float64,
			Token: func() string { tokens++; return strconv.Itoa(tokens) }, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			return nil, err
		}
	}
	return func(c *campaign) int {
		asked := route.Campaign{ID: strconv.Itoa(c.id), Customer: c.customer}
		if r.SizeKnown {
			asked.Size = int64(c.size)
		}
		a, err := rs[c.router].Assign(context.Background(), asked)
		if err != nil || !a.Recorded {
			panic(fmt.Sprintf("campaign %d: %+v, %v", c.id, a, err)) // memory never fails
		}
		g, err := strconv.Atoi(a.Group[1:])
		if err != nil {
			panic(err)
		}
		return g - 1
	}, nil
}

// eligible is who may take the campaign, for the policies that are not the product's.
func (p *product) eligible(customer string) []int {
	live, err := p.live.Load(context.Background())
	if err != nil {
		panic(err)
	}
	var is []int
	for i, s := range groups.Eligible(p.config, live, customer, p.clock()) {
		if s.Why == "" {
			is = append(is, i)
		}
	}
	return is
}

// drawn chooses at random, by the weights given.
func (p *product) drawn(rng *rand.Rand, weight func(g int) float64) chooser {
	return func(c *campaign) int {
		among := p.eligible(c.customer)
		total := 0.0
		for _, g := range among {
			total += weight(g)
		}
		draw := rng.Float64() * total
		for _, g := range among {
			if draw -= weight(g); draw < 0 {
				return g
			}
		}
		return among[len(among)-1]
	}
}

// knowing chooses by the truth: the group that will have finished first.
func (p *product) knowing(pipelines []*pipeline) chooser {
	return func(c *campaign) int {
		among := p.eligible(c.customer)
		best, soonest := among[0], pipelines[among[0]].truth(c.size)
		for _, g := range among[1:] {
			if t := pipelines[g].truth(c.size); t < soonest {
				best, soonest = g, t
			}
		}
		return best
	}
}
