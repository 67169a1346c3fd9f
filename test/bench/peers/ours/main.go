// Command ours runs events once through the product's own runner, by the orders
// of the bench "peers".
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"runtime/pprof"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/claim/redisclaim"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
	"onceway.internal/shared/setting"
	"onceway.internal/test/bench/peers/load"
)

// slots is as many deliveries as the bench has callers at most.
const slots = 64

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "ours:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	redis := flag.String("redis", "", "URL of the server that keeps the claims; empty keeps them in memory")
	do := flag.Bool("do", false, "use Do, which answers a repeat with the stored result; else deliveries")
	cache := flag.Int("cache", 0, "finished keys remembered in the process")
	profile := flag.String("profile", "", "file to write a CPU profile to")
	flag.Parse()

	store, stop, err := open(*redis)
	if err != nil {
		return err
	}
	defer stop()
	r, err := newRunner(ctx, store, *cache)
	if err != nil {
		return err
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	side := load.Side{Effect: &load.Effect{}, Silent: !*do}
	side.Call = deliver(r, side.Effect)
	if *do {
		side.Call = call(r, side.Effect)
	}
	return load.Serve(ctx, side, os.Stdin, os.Stdout)
}

func open(url string) (claim.Store, func(), error) {
	if url == "" {
		s, err := memclaim.New(100_000, time.Now) // as shipped
		return s, func() {}, err
	}
	client, err := redisclaim.Open(url)
	if err != nil {
		return nil, nil, err
	}
	s, err := redisclaim.New(client, rand.Text()+":")
	return s, func() { _ = client.Close() }, err
}

// newRunner has the settings that the functions ship with, but no log: the other
// sides write none either.
func newRunner(ctx context.Context, s claim.Store, cache int) (*once.Runner, error) {
	c, err := setting.Load(ctx, func(string) (string, bool) { return "", false })
	if err != nil {
		return nil, err
	}
	o := c.Once
	m, err := claim.NewMachine(claim.Config{
		Store: s, Clock: clock.System{}, Lease: o.Lease, TTL: c.TTL(), SettleAfter: o.SettleAfter,
		MaxAttempts: o.MaxAttempts, StoreTimeout: o.StoreTimeout, FinishBudget: o.FinishBudget,
	})
	if err != nil {
		return nil, err
	}
	return once.NewRunner(once.Config{
		Claims: m, DeadLetters: none{}, Clock: clock.System{}, Log: slog.New(slog.DiscardHandler), Lifetime: ctx,
		HandlerTimeout: o.HandlerTimeout, AckDeadline: o.AckDeadline, Margin: o.Margin, PublishTimeout: o.StoreTimeout,
		WaitBound: o.Wait, WaitPoll: o.Poll, Slots: slots, CacheSize: cache,
	})
}

// none refuses letters: no event of this bench may leave one.
type none struct{}

func (none) Publish(context.Context, letter.Letter) error {
	return errors.New("a letter was published")
}
