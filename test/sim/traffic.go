package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
)

// campaign is one to be routed, and what became of it.
type campaign struct {
	id       int
	at       float64
	size     float64
	customer string
	router   int
	delay    float64 // until its first publish
	counted  bool

	group   int
	chunks  int // not yet through
	through float64
}

type batch struct {
	at    float64
	group int
	size  float64
}

type slowdown struct {
	at    float64
	group int
}

// traffic is what happens to a seed, whatever the policy.
type traffic struct {
	campaigns []*campaign
	batches   []batch
	slowdowns []slowdown
	nominal   [][]float64 // rates as the routers are told, by group and queue
	end       float64     // of arrivals
}

// stream is randomness for one purpose: what one policy draws changes nothing for
// another. The seed is the regime's number for the pair.
func stream(seed int, purpose string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	return rand.New(rand.NewPCG(uint64(seed), h.Sum64()))
}

func newTraffic(r regime, seed int) *traffic {
	t := &traffic{end: r.Warmup + r.Measure}
	total := 0.0
	for _, f := range r.Factors {
		total += f * capacity(r.Rates, r.Fanout)
	}
	t.arrivals(r, seed, total)
	t.unseen(r, seed, total)
	rng := stream(seed, "slowdowns")
	for g := range r.Factors {
		// Beyond the end too: queues drain in the same world.
		for at := wait(rng, r.Slowdowns/3600); at < 3*t.end; at += wait(rng, r.Slowdowns/3600) {
			t.slowdowns = append(t.slowdowns, slowdown{at, g})
		}
	}
	rng = stream(seed, "nominal rates")
	for _, f := range r.Factors {
		var rates []float64
		for _, rate := range r.Rates {
			rates = append(rates, rate*f*(1+r.RateError*(2*rng.Float64()-1)))
		}
		t.nominal = append(t.nominal, rates)
	}
	return t
}

func (t *traffic) arrivals(r regime, seed int, total float64) {
	rate := r.Rho * (1 - r.Unrouted) * total / r.Size / float64(r.Burst) // bursts a second
	names := make([]string, 0, len(r.Customers))
	weight := 0
	for name, w := range r.Customers {
		names = append(names, name)
		weight += w
	}
	slices.Sort(names)
	rng := stream(seed, "campaigns")
	for at := wait(rng, rate); at < t.end; at += wait(rng, rate) {
		for range r.Burst {
			c := &campaign{id: len(t.campaigns), at: at, size: size(rng, r), router: rng.IntN(r.Routers), delay: rng.Float64() * r.PublishDelay, counted: at >= r.Warmup}
			draw := rng.IntN(weight)
			for _, name := range names {
				if draw -= r.Customers[name]; draw < 0 {
					c.customer = name
					break
				}
			}
			t.campaigns = append(t.campaigns, c)
		}
	}
}

func (t *traffic) unseen(r regime, seed int, total float64) {
	rate := r.Rho * r.Unrouted * total / float64(r.UnroutedBatch)
	rng := stream(seed, "unrouted")
	for at := wait(rng, rate); at < t.end; at += wait(rng, rate) {
		t.batches = append(t.batches, batch{at, rng.IntN(len(r.Factors)), float64(r.UnroutedBatch)})
	}
}

// wait is the time to the next of something that comes at random; never at rate 0.
func wait(rng *rand.Rand, rate float64) float64 {
	if rate <= 0 {
		return math.Inf(1)
	}
	return rng.ExpFloat64() / rate
}

// size is lognormal around the mean, in whole messages.
func size(rng *rand.Rand, r regime) float64 {
	if r.SizeSpread == 0 {
		return r.Size
	}
	variance := math.Log(1 + r.SizeSpread*r.SizeSpread)
	return math.Max(1, math.Round(math.Exp(math.Log(r.Size)-variance/2+math.Sqrt(variance)*rng.NormFloat64())))
}
