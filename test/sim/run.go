package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// outcome is what one run of a regime came to, for one policy and seed.
type outcome struct {
	mean, p95, p99 float64 // seconds from a campaign's arrival to its last message
	drain          float64 // seconds from the last arrival until everything is through
	topShare       float64 // part of a minute's campaigns that its favourite group gets
	violations     int     // campaigns where a reservation did not let them go
	campaigns      int     // that were counted
}

// queueNames are a group's queues.
func queueNames(n int) []string {
	names := []string{"personalizer", "device-mapper", "delivery", "inbox"}
	for i := len(names); i < n; i++ {
		names = append(names, "queue-"+strconv.Itoa(i+1))
	}
	return names[:n]
}

// simulate runs a regime once.
func simulate(r regime, policy string, seed int) (outcome, error) {
	ev, t := &events{}, newTraffic(r, seed)
	last := 0.0
	finished := func(c *campaign) {
		if c.chunks--; c.chunks == 0 {
			c.through = ev.now
			last = ev.now
		}
	}
	pipelines := make([]*pipeline, len(r.Factors))
	names := make([]string, len(r.Factors))
	for g, f := range r.Factors {
		pipelines[g], names[g] = newPipeline(ev, r, f, finished), "g"+strconv.Itoa(g+1)
	}
	queues := queueNames(len(r.Rates))
	p, err := newProduct(r, t, queues, func() time.Time { return stamp(ev.now) })
	if err != nil {
		return outcome{}, fmt.Errorf("simulate %s: %w", r.Name, err)
	}
	choose, err := chooserFor(r, policy, seed, p, pipelines)
	if err != nil {
		return outcome{}, fmt.Errorf("simulate %s by %s: %w", r.Name, policy, err)
	}
	m := &monitor{r: r, ev: ev, groups: pipelines, names: names, queues: queues, nominal: t.nominal, store: p.store, rng: stream(seed, "monitor")}
	m.start(t.end)
	play(ev, r, t, pipelines, choose)
	ev.runAll()
	return measure(r, t, last)
}

func chooserFor(r regime, policy string, seed int, p *product, pipelines []*pipeline) (chooser, error) {
	switch policy {
	case oracle:
		return p.knowing(pipelines), nil
	case random:
		return p.drawn(stream(seed, "choices"), func(int) float64 { return 1 }), nil
	case capacityRandom:
		return p.drawn(stream(seed, "choices"), func(g int) float64 { return r.Factors[g] }), nil
	}
	return p.routed(r, policy, seed)
}

// play plans everything that happens.
func play(ev *events, r regime, t *traffic, pipelines []*pipeline, choose chooser) {
	for _, c := range t.campaigns {
		ev.at(c.at, func() {
			c.group = choose(c)
			publish(ev, r, pipelines[c.group], c)
		})
	}
	for _, b := range t.batches {
		ev.at(b.at, func() { pipelines[b.group].stages[0].push(chunk{messages: b.size}) })
	}
	for _, s := range t.slowdowns {
		ev.at(s.at, func() { pipelines[s.group].slowed(1, r.SlowdownTo) })
		ev.at(s.at+r.SlowdownFor, func() { pipelines[s.group].slowed(-1, r.SlowdownTo) })
	}
}

// publish sends a campaign's messages to its group, chunk by chunk.
func publish(ev *events, r regime, p *pipeline, c *campaign) {
	p.publishing += c.size
	c.chunks = int(math.Ceil(c.size / float64(r.Chunk)))
	for i := range c.chunks {
		n := math.Min(float64(r.Chunk), c.size-float64(i*r.Chunk))
		ev.at(c.at+c.delay+(float64(i*r.Chunk)+n)/r.PublishRate, func() {
			p.publishing -= n
			p.stages[0].push(chunk{messages: n, campaign: c})
		})
	}
}

func measure(r regime, t *traffic, last float64) (outcome, error) {
	o := outcome{drain: math.Max(0, last-t.end)}
	var took []float64
	minutes := map[int]map[int]int{}
	for _, c := range t.campaigns {
		if c.chunks != 0 || c.through < c.at {
			return o, fmt.Errorf("campaign %d of %s never came through", c.id, r.Name)
		}
		if !allowed(r, c) {
			o.violations++
		}
		if !c.counted {
			continue
		}
		took = append(took, c.through-c.at)
		minute := int(c.at / 60)
		if minutes[minute] == nil {
			minutes[minute] = map[int]int{}
		}
		minutes[minute][c.group]++
	}
	slices.Sort(took)
	o.campaigns, o.mean, o.p95, o.p99 = len(took), mean(took), percentile(took, 0.95), percentile(took, 0.99)
	top := 0
	for _, byGroup := range minutes {
		most := 0
		for _, n := range byGroup {
			most = max(most, n)
		}
		top += most
	}
	o.topShare = float64(top) / float64(len(took))
	return o, nil
}

// allowed knows the reservations from the regime itself, not from the product: a
// reserved group takes only its customers, and they go nowhere else.
func allowed(r regime, c *campaign) bool {
	own := false
	for _, customers := range r.Reserved {
		own = own || slices.Contains(customers, c.customer)
	}
	return slices.Contains(r.Reserved[c.group+1], c.customer) || !own && r.Reserved[c.group+1] == nil
}
