package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"onceway.internal/test/bench/peers/load"
)

// peerName is a way of running events once, in a process of its own.
type peerName string

const (
	oursRedis          peerName = "ours"
	oursRedisCached    peerName = "ours, cached"
	oursRedisOneCore   peerName = "ours, one core"
	oursMemory         peerName = "ours, in memory"
	oursMemoryUncached peerName = "ours, in memory, uncached"
	powertools         peerName = "Powertools"
	powertoolsCached   peerName = "Powertools, cached"
	watermill          peerName = "Watermill"
)

// crew is the processes that a run compares.
type crew map[peerName]*member

// newCrew builds and installs the programs and starts each with its settings. Those
// with claims in Redis share one server.
func newCrew(ctx context.Context, e *env) (crew, error) {
	redis, err := e.redis(ctx)
	if err != nil {
		return nil, err
	}
	node := filepath.Join(e.root, powertoolsDir)
	if err := errors.Join(install(ctx, e, node), buildPeers(ctx, e)); err != nil {
		return nil, err
	}
	ours, script := filepath.Join(e.dir, "ours"), filepath.Join(node, "main.js")
	c := crew{}
	for name, cmd := range map[peerName]*exec.Cmd{
		oursRedis:          exec.CommandContext(ctx, ours, "-redis", redis.URL, "-do"),
		oursRedisCached:    exec.CommandContext(ctx, ours, "-redis", redis.URL, "-cache", "10000"),
		oursRedisOneCore:   exec.CommandContext(ctx, ours, "-redis", redis.URL, "-do"),
		oursMemory:         exec.CommandContext(ctx, ours, "-cache", "10000"),
		oursMemoryUncached: exec.CommandContext(ctx, ours),
		powertools:         exec.CommandContext(ctx, "node", script, redis.URL),
		powertoolsCached:   exec.CommandContext(ctx, "node", script, redis.URL, "cached"),
		watermill:          exec.CommandContext(ctx, filepath.Join(e.dir, "watermill")),
	} {
		if name == oursRedisOneCore {
			cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		}
		if c[name], err = hire(name, cmd); err != nil {
			return nil, errors.Join(err, c.dismiss())
		}
	}
	return c, nil
}

// dismiss ends all processes.
func (c crew) dismiss() error {
	var errs []error
	for m := range maps.Values(c) {
		errs = append(errs, m.dismiss())
	}
	return errors.Join(errs...)
}

// prove has each of them handle a few events from 64 callers at once: whoever runs
// one twice has no figures here.
func (c crew) prove(ctx context.Context, e *env) error {
	for _, name := range slices.Sorted(maps.Keys(c)) {
		r, err := c[name].obey(ctx, load.Order{Kind: load.Race, Parallel: 64})
		if err != nil {
			return err
		}
		e.say("   %s: %d calls at once ran %d events once each, %d calls sent away", name, r.Calls, r.Effects, r.InFlight)
	}
	return nil
}

// compare gives ours and theirs turns of one kind of call.
func (c crew) compare(ctx context.Context, what comparison, parallel int, d time.Duration) (figure, error) {
	ours, theirs := &stint{m: c[what.ours]}, &stint{m: c[what.theirs]}
	rounds, err := alternate(ctx, d, peerRounds, ours.side(what.kind, parallel), theirs.side(what.kind, parallel))
	if err != nil {
		return figure{}, err
	}
	says := fmt.Sprintf("%s; processor time of a call %s and %s", compare(rounds[0], rounds[1], "events", string(what.theirs)), ours.cpu(), theirs.cpu())
	if what.note != "" {
		says += "; " + what.note
	}
	return figure{
		Name:  fmt.Sprintf("peers/%s/%d", what.name, parallel),
		Ratio: faster(rounds[0], rounds[1]), Goal: what.goal, Says: says,
	}, nil
}
