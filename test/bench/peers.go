package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onceway.internal/test/bench/peers/load"
)

// peerRounds is how many turns each side of a comparison gets.
const peerRounds = 4

// comparison is ours against one peer, in one kind of call.
type comparison struct {
	name         string
	kind         string
	parallel     []int
	ours, theirs peerName
	goal         float64 // 0: context
	note         string
}

// comparisons are like with like: what is answered from the store against what is
// answered from the store, and the one's cache against the other's.
func comparisons() []comparison {
	all := []int{1, 8, 64}
	return []comparison{
		{"powertools/first", load.First, all, oursRedis, powertools, 2, ""},
		{"powertools/repeat", load.Repeat, all, oursRedis, powertools, 3, "no cache on either side, both answer with the stored result"},
		{"powertools/repeat-cached", load.Repeat, all, oursRedisCached, powertoolsCached, 3, "each with its cache; theirs answers with the result, ours that it is done"},
		{"powertools/first-one-core", load.First, []int{64}, oursRedisOneCore, powertools, 0, "ours held to one core, as Node is"},
		{"powertools/repeat-one-core", load.Repeat, []int{64}, oursRedisOneCore, powertools, 0, "ours held to one core, as Node is"},
		{"watermill/first", load.First, all, oursMemory, watermill, 1, "theirs keeps a hash, ours a claim with owner, lease and trace"},
		{"watermill/repeat", load.Repeat, all, oursMemory, watermill, 1, "both from a map in memory, ours being the cache as shipped"},
		{"watermill/repeat-uncached", load.Repeat, []int{8}, oursMemoryUncached, watermill, 0, "ours without the cache"},
	}
}

// peers compares with what others offer for running an event once. What each of
// them promises stands in peers/README.md: they are not the same.
func peers(ctx context.Context, e *env) (figures []figure, err error) {
	crew, err := newCrew(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, crew.dismiss()) }()
	if err := errors.Join(crew.prove(ctx, e), validation(ctx, e)); err != nil {
		return nil, err
	}
	turns := 0
	for _, c := range comparisons() {
		turns += len(c.parallel)
	}
	for _, c := range comparisons() {
		for _, n := range c.parallel {
			f, err := crew.compare(ctx, c, n, e.budget/time.Duration(turns))
			if err != nil {
				return figures, fmt.Errorf("%s/%d: %w", c.name, n, err)
			}
			figures = append(figures, f)
		}
	}
	return figures, nil
}
