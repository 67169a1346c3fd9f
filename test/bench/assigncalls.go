package main

import (
	"context"
	"fmt"
	"maps"
	"path"
	"sync"
	"time"

	"google.golang.org/grpc"
)

// rpcs counts a connection's calls by method.
type rpcs struct {
	mu sync.Mutex
	by map[string]int
}

func (c *rpcs) count(method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by[path.Base(method)]++
}

func (c *rpcs) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.by)
}

func (c *rpcs) counts() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.by)
}

func (c *rpcs) options() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			c.count(method)
			return invoke(ctx, method, req, reply, cc, opts...)
		}),
		grpc.WithChainStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, stream grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			c.count(method)
			return stream(ctx, desc, cc, method, opts...)
		}),
	}
}

// turn counts what a turn assigned, and the queries that it may have taken: one at
// once and one for each second.
func (d *desk) turn(run func(context.Context, time.Duration) (round, error)) func(context.Context, time.Duration) (round, error) {
	return func(ctx context.Context, length time.Duration) (round, error) {
		if d.assigned == 0 {
			d.calls.forget() // what opening the desk took
		}
		r, err := run(ctx, length)
		d.assigned += r.Count
		d.allowed += int(r.Took/time.Second) + 1
		return r, err
	}
}

// commits is a desk's commits for each assignment.
func (d *desk) commits(name string) figure {
	n := d.calls.counts()["Commit"]
	return figure{
		Name: name, Ratio: float64(n) / float64(max(d.assigned, 1)), Goal: 1, Most: true,
		Says: fmt.Sprintf("commits an assignment: %d for %d", n, d.assigned),
	}
}

// reads is what a desk read of what it may: a query a second, however many it assigns.
func (d *desk) reads(name string) figure {
	by := d.calls.counts()
	n := 0
	for method, calls := range by {
		if method != "Commit" {
			n += calls
		}
	}
	return figure{
		Name: name, Ratio: float64(n) / float64(max(d.allowed, 1)), Goal: 1, Most: true,
		Says: fmt.Sprintf("reads over the one a second that is allowed: %d for %d assignments, %.3f each; %v", n, d.assigned, float64(n)/float64(max(d.assigned, 1)), by),
	}
}
