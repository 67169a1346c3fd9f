package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"cloud.google.com/go/pubsub/v2"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/functions/table"
	"onceway.internal/shared/setting"
)

// host serves onceway: every function and two workers, of which one can be lost.
type host interface {
	// endpoint is where a function is served.
	endpoint(function string) string
	// loseWorker ends the first worker without a word, for good.
	loseWorker()
	// close ends everything in order and returns when it is over.
	close() error
}

// The workers. The first is the one that is lost.
const (
	victim   = "worker-1"
	survivor = "worker-2"
)

// plan is what a host is made from.
type plan struct {
	config config
	env    map[string]string // of every function
	pubsub string
	hooks  string // base URL of what workers relay to
	logs   io.Writer
	say    func(format string, args ...any)
}

// settings reads the configuration as a process would, and names every fault.
func settings(ctx context.Context, env map[string]string) (setting.Config, error) {
	c, err := setting.Load(ctx, lookup(env))
	if err != nil {
		return c, fmt.Errorf("read configuration: %w", err)
	}
	var faults setting.Faults
	c.CheckProcess(&faults)
	for _, e := range table.Entries() {
		e.Check(c, &faults)
	}
	if err := faults.Err(); err != nil {
		return c, fmt.Errorf("check configuration: %w", err)
	}
	return c, nil
}

// connect makes a client of the Pub/Sub at addr.
func connect(ctx context.Context, project, addr string) (*pubsub.Client, error) {
	client, err := pubsub.NewClient(context.WithoutCancel(ctx), project, option.WithEndpoint(addr), option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())), option.WithTelemetryDisabled())
	if err != nil {
		return nil, fmt.Errorf("connect to Pub/Sub: %w", err)
	}
	return client, nil
}

// closers ends things in the opposite order of their start.
type closers []func() error

func (c *closers) add(f func() error) { *c = append(*c, f) }

func (c *closers) close() error {
	var errs []error
	for i := len(*c) - 1; i >= 0; i-- {
		errs = append(errs, (*c)[i]())
	}
	*c = nil
	return errors.Join(errs...)
}
