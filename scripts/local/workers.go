package main

import (
	"context"
	"errors"
	"fmt"

	"onceway.internal/functions/table"
	"onceway.internal/shared/setting"
)

// workerConfig is a worker's configuration with the one subscription that it pulls.
type workerConfig struct {
	setting.Config
	entry        table.Entry
	subscription string
}

// workerSettings reads a worker's configuration as its process would.
func workerSettings(ctx context.Context, env map[string]string) (workerConfig, error) {
	c, err := setting.Load(ctx, lookup(env))
	if err != nil {
		return workerConfig{}, fmt.Errorf("read configuration: %w", err)
	}
	var faults setting.Faults
	c.CheckProcess(&faults)
	c.CheckWorker(&faults)
	pulls := c.Pulls(&faults)
	if err := faults.Err(); err != nil {
		return workerConfig{}, fmt.Errorf("check configuration: %w", err)
	}
	if len(pulls) != 1 {
		return workerConfig{}, errors.New("a worker pulls one subscription here")
	}
	entry, ok := table.Find(pulls[0].Function)
	if !ok || entry.Push == nil {
		return workerConfig{}, fmt.Errorf("%s is no function for events", pulls[0].Function)
	}
	return workerConfig{Config: c, entry: entry, subscription: pulls[0].Subscription}, nil
}
