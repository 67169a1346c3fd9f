package route

import (
	"fmt"
	"slices"
)

// turn is one choice: every group as it stands, and the means to choose.
type turn struct {
	all      []Candidate
	eligible []int // indexes into all
	usable   []int // eligible, with a score that may be compared; probes among them
	settings Settings
	rand     func() float64
	rotation *Rotation // shared by all turns of a process
}

// pick is what a policy answers: an index into all, -1 for none.
type pick struct {
	index  int
	rule   Rule
	reason string
}

// policies is the registry: a policy is a function of a turn.
var policies = map[Policy]func(*turn) pick{
	Corrected:          func(t *turn) pick { return t.byScore(lowestCorrected) },
	TwoChoices:         func(t *turn) pick { return t.byScore(twoChoices) },
	Lowest:             func(t *turn) pick { return t.byScore(lowestSampled) },
	RoundRobin:         roundRobin,
	WeightedRoundRobin: weightedRoundRobin,
	Static:             static,
}

// tie is how much more than the lowest score counts as the same.
const tie = 0.05

func lowestCorrected(t *turn) pick {
	i := t.lowest(t.usable, func(c Candidate) float64 { return c.Score })
	return pick{i, ByCorrected, fmt.Sprintf("lowest of %d scores, ledger counted: %.4g", len(t.usable), t.all[i].Score)}
}

func lowestSampled(t *turn) pick {
	i := t.lowest(t.usable, func(c Candidate) float64 { return c.Sampled })
	return pick{i, ByLowest, fmt.Sprintf("lowest of %d scores as sampled: %.4g", len(t.usable), t.all[i].Sampled)}
}

func twoChoices(t *turn) pick {
	a := int(t.rand() * float64(len(t.usable)))
	two := []int{t.usable[a]}
	if n := len(t.usable); n > 1 {
		two = append(two, t.usable[(a+1+int(t.rand()*float64(n-1)))%n])
	}
	i := t.lowest(two, func(c Candidate) float64 { return c.Score })
	return pick{i, ByTwoChoices, fmt.Sprintf("lower of two drawn, ledger counted: %.4g", t.all[i].Score)}
}

// lowest draws among those whose score is within a tie of the lowest.
func (t *turn) lowest(among []int, score func(Candidate) float64) int {
	low := score(t.all[among[0]])
	for _, i := range among[1:] {
		low = min(low, score(t.all[i]))
	}
	chosen, seen := among[0], 0
	for _, i := range among {
		if score(t.all[i]) > low*(1+tie) {
			continue
		}
		if seen++; t.rand() < 1/float64(seen) {
			chosen = i
		}
	}
	return chosen
}

// byScore applies the rules of the data states around a policy that compares scores.
func (t *turn) byScore(choose func(*turn) pick) pick {
	var held, shares []int // usable by a sample; gone for too long
	var scored, total float64
	for _, i := range t.eligible {
		switch c := t.all[i]; {
		case c.usable:
			held = append(held, i)
			scored += c.Capacity
		case c.share:
			shares = append(shares, i)
		}
		total += t.all[i].Capacity
	}
	if len(held) == 0 {
		p := t.inTurn(t.eligible, ByCapacity)
		p.reason = "no group has a usable score: in turn, by capacity"
		return p
	}
	for _, i := range t.eligible {
		if t.all[i].Data == Never && !slices.Contains(t.usable, i) {
			t.all[i].Why = WhyProbed
		}
	}
	// Groups gone for too long take part in a turn in which all others together
	// are one.
	if len(shares) > 0 {
		ids, weights := []string{"scored groups"}, []float64{scored}
		for _, i := range shares {
			ids, weights = append(ids, t.all[i].Group), append(weights, t.all[i].Capacity)
		}
		if k := t.rotation.Next(ids, weights, t.rand); k > 0 {
			c := t.all[shares[k-1]]
			return pick{shares[k-1], ByCapacityShare, fmt.Sprintf("its sample is %s old: a share of %.0f %% by capacity", c.SampleAge.Round(1e9), 100*c.Capacity/total)}
		}
	}
	p := choose(t)
	switch t.all[p.index].Data {
	case Stale:
		p.rule = ByHeldStale
	case Missing:
		p.rule = ByHeldMissing
	case Never:
		p.rule = ByProbe
	}
	return p
}

// inTurn goes round by capacity.
func (t *turn) inTurn(among []int, rule Rule) pick {
	ids, weights := make([]string, len(among)), make([]float64, len(among))
	for k, i := range among {
		ids[k], weights[k] = t.all[i].Group, t.all[i].Capacity
	}
	k := t.rotation.Next(ids, weights, t.rand)
	return pick{among[k], rule, fmt.Sprintf("in turn among %d, by capacity", len(among))}
}

func weightedRoundRobin(t *turn) pick { return t.inTurn(t.eligible, ByWeightedRoundRobin) }

func roundRobin(t *turn) pick {
	ids, weights := make([]string, len(t.eligible)), make([]float64, len(t.eligible))
	for k, i := range t.eligible {
		ids[k], weights[k] = t.all[i].Group, 1
	}
	k := t.rotation.Next(ids, weights, t.rand)
	return pick{t.eligible[k], ByRoundRobin, fmt.Sprintf("in turn among %d", len(t.eligible))}
}

func static(t *turn) pick {
	for _, i := range t.eligible {
		if t.all[i].Group == t.settings.Static {
			return pick{i, ByStatic, "the configured group"}
		}
	}
	p := t.inTurn(t.eligible, ByCapacity)
	p.reason = "the configured group may not be used: in turn, by capacity"
	return p
}
