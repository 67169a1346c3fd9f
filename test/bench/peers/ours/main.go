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
	"onceway.internal/test/bench/peers/load"
)

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
	m, err := claim.NewMachine(claim.Config{
		Store: s, Clock: clock.System{}, Lease: 5 * time.Minute, TTL: 39 * 24 * time.Hour, SettleAfter: 10 * time.Minute,
		MaxAttempts: 5, StoreTimeout: 5 * time.Second, FinishBudget: 20 * time.Second,
	})
	if err != nil {
		return nil, err
	}
	return once.NewRunner(once.Config{
		Claims: m, DeadLetters: none{}, Clock: clock.System{}, Log: slog.New(slog.DiscardHandler), Lifetime: ctx,
		HandlerTimeout: 4 * time.Minute, AckDeadline: 10 * time.Minute, Margin: 30 * time.Second, PublishTimeout: 5 * time.Second,
		WaitBound: 20 * time.Second, WaitPoll: 500 * time.Millisecond, Slots: 64, CacheSize: cache,
	})
}

// none refuses letters: no event of this bench may leave one.
type none struct{}

func (none) Publish(context.Context, letter.Letter) error {
	return errors.New("a letter was published")
}
