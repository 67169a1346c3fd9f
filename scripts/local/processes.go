package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"time"

	"golang.org/x/sync/errgroup"

	"onceway.internal/functions/table"
	"onceway.internal/test/process"
)

// processes serves each function by a process of its own, and runs two worker processes.
type processes struct {
	addrs   map[string]string // by function
	running map[string]*process.Process
	grace   time.Duration
}

func startProcesses(ctx context.Context, p plan, dir string) (_ host, err error) {
	if _, err := settings(ctx, p.env); err != nil {
		return nil, err
	}
	p.say("building the functions and the worker (the first time takes a minute or two) …")
	binaries, err := process.Build(ctx, dir, false)
	if err != nil {
		return nil, err
	}
	h := &processes{addrs: map[string]string{}, running: map[string]*process.Process{}, grace: p.config.times.grace + 5*time.Second}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close())
		}
	}()
	p.say("starting %d functions and 2 workers, each a process …", len(table.Names()))
	health := map[string]string{}
	for _, function := range table.Names() {
		addr, err := process.FreeAddr()
		if err != nil {
			return nil, err
		}
		env := maps.Clone(p.env)
		_, env["PORT"], _ = net.SplitHostPort(addr)
		env["FUNCTION_TARGET"] = function
		if h.running[function], err = process.Start(function, binaries.Functions, env, p.logs); err != nil {
			return nil, err
		}
		h.addrs[function], health[function] = addr, "http://"+addr+"/"
	}
	for _, name := range []string{victim, survivor} {
		addr, err := process.FreeAddr()
		if err != nil {
			return nil, err
		}
		env := p.config.workerEnvironment(p.env, name, p.hooks, addr)
		if h.running[name], err = process.Start(name, binaries.Worker, env, p.logs); err != nil {
			return nil, err
		}
		health[name] = "http://" + addr + "/healthz"
	}
	return h, h.await(ctx, health)
}

func (h *processes) await(ctx context.Context, health map[string]string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	all, ctx := errgroup.WithContext(ctx)
	for name, url := range health {
		all.Go(func() error { return h.running[name].AwaitHTTP(ctx, url) })
	}
	if err := all.Wait(); err != nil {
		return fmt.Errorf("start the processes: %w", err)
	}
	return nil
}

func (h *processes) endpoint(function string) string { return "http://" + h.addrs[function] + "/" }

func (h *processes) loseWorker() {
	h.running[victim].Kill()
	delete(h.running, victim)
}

func (h *processes) close() error {
	var all errgroup.Group
	for _, p := range h.running {
		if p != nil {
			all.Go(func() error { return p.Stop(h.grace) })
		}
	}
	return all.Wait()
}
