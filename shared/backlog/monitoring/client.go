package monitoring

import (
	"context"
	"errors"
	"fmt"
	"sync"

	client "cloud.google.com/go/monitoring/apiv3/v2"
)

// Dial makes the client at its first use, so that a process which never reads
// metrics never pays for it. It is called until it succeeds, then never again.
type Dial func(ctx context.Context) (*client.MetricClient, error)

// Lazy turns dial into one that dials once, however often it is called. A
// failure is not kept: the next call tries again.
func Lazy(dial Dial) Dial {
	var mu sync.Mutex
	var made *client.MetricClient
	return func(ctx context.Context) (*client.MetricClient, error) {
		mu.Lock()
		defer mu.Unlock()
		if made != nil {
			return made, nil
		}
		c, err := dial(ctx)
		if err != nil {
			return nil, fmt.Errorf("connect to Cloud Monitoring: %w", err)
		}
		made = c
		return c, nil
	}
}

// Given is a Dial for a client that is there already.
func Given(c *client.MetricClient) Dial {
	return func(context.Context) (*client.MetricClient, error) {
		if c == nil {
			return nil, errors.New("no Cloud Monitoring client")
		}
		return c, nil
	}
}
