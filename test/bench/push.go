package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"onceway.internal/test/process"
)

const (
	pushHTTPGoal       = 0.8
	pushCloudEventGoal = 2.5
	pushRounds         = 8

	// losing loses requests; a connection that waits for one does no work.
	losing         = "CloudEvent"
	losingPatience = time.Second
)

// push compares four servers, each a process of its own, under the same load: a
// function under memory claims as production serves it, and three that have no claims.
// Ours writes its log line for each delivery, to /dev/null; the others write none.
//
// The framework's CloudEvent functions share one unbuffered channel, in the SDK's HTTP
// receiver, and lose some requests of a thousand under this load: they wait there for ever.
// Those are given up, counted and said.
func push(ctx context.Context, e *env) ([]figure, error) {
	dir, err := e.build(ctx, "./test/bench/pushed")
	if err != nil {
		return nil, err
	}
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = nowhere.Close() }()
	ids := newEventIDs()
	var sides []side
	for _, target := range []string{"Once", "HTTP", losing, "Bare"} {
		wait := patience
		if target == losing {
			wait = losingPatience
		}
		addr, stop, err := served(ctx, filepath.Join(dir, "pushed"), target, nowhere)
		if err != nil {
			return nil, err
		}
		defer stop()
		sides = append(sides, side{target, func(ctx context.Context, d time.Duration) (round, error) { return flood(ctx, addr, ids, wait, d) }})
	}
	rounds, err := alternate(ctx, e.budget, pushRounds, sides...)
	if err != nil {
		return nil, err
	}
	if lost := total(rounds[0]).Lost; lost > 0 {
		return nil, fmt.Errorf("%d pushes were never answered", lost)
	}
	for _, side := range rounds {
		for i := range side {
			side[i].Allocs = 0 // they were the load's
		}
	}
	figures := []figure{
		{Name: "push/http", Goal: pushHTTPGoal, Says: "functions.HTTP that reads and decodes JSON"},
		{Name: "push/cloudevent", Goal: pushCloudEventGoal, Says: "functions.CloudEvent that does nothing"},
		{Name: "push/bare", Says: "net/http that reads nothing"},
	}
	for i := range figures {
		figures[i].Ratio = faster(rounds[0], rounds[i+1])
		figures[i].Says = compare(rounds[0], rounds[i+1], "requests", figures[i].Says)
	}
	return figures, nil
}

// served starts a server of the bench and waits until it answers.
func served(ctx context.Context, binary, target string, out io.Writer) (addr string, stop func(), err error) {
	if addr, err = process.FreeAddr(); err != nil {
		return "", nil, err
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", nil, err
	}
	p, err := process.Start(target, binary, map[string]string{
		"FUNCTION_TARGET": target, "PORT": port, "GOOGLE_CLOUD_PROJECT": project,
		"ONCEWAY_LOCAL": "true", "ONCEWAY_CLAIMS": "memory", "ONCEWAY_STATE": "memory", "PUBSUB_EMULATOR_HOST": "127.0.0.1:1",
	}, out)
	if err != nil {
		return "", nil, err
	}
	limited, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := p.AwaitHTTP(limited, fmt.Sprintf("http://%s/", addr)); err != nil {
		p.Kill()
		return "", nil, err
	}
	return addr, p.Kill, nil
}
