//go:build emulators

package routing_test

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"

	"onceway.internal/shared/route"
	"onceway.internal/test/servers"
)

// calls counts RPCs by method.
type calls struct {
	mu sync.Mutex
	by map[string]int
}

func (c *calls) count(method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by[method[len("/google.firestore.v1.Firestore/"):]]++
}

// taken answers with the counts and begins again.
func (c *calls) taken() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer clear(c.by)
	return maps.Clone(c.by)
}

func (c *calls) options() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			c.count(method)
			return invoke(ctx, method, req, reply, cc, opts...)
		}),
		grpc.WithStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, stream grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			c.count(method)
			return stream(ctx, desc, cc, method, opts...)
		}),
	}
}

func TestAnAssignmentCostsOneCommitAndAtMostOneQuery(t *testing.T) {
	c := &calls{by: map[string]int{}}
	b := newBench(t, servers.Firestore(t), c.options()...)
	b.sampled(t)
	r, err := b.router(nil)
	if err != nil {
		t.Fatal(err)
	}
	assign := func(id string) {
		t.Helper()
		if a, err := r.Assign(t.Context(), route.Campaign{ID: id, Size: 10}); err != nil || !a.Recorded {
			t.Fatalf("assign %s: %+v, %v", id, a, err)
		}
	}
	c.taken()
	assign("first")
	if d := cmp.Diff(map[string]int{"RunQuery": 1, "Commit": 1}, c.taken()); d != "" {
		t.Errorf("the first assignment's calls (-want +got):\n%s", d)
	}
	assign("first")
	got := c.taken()
	delete(got, "RunQuery") // one, when a second has passed
	if d := cmp.Diff(map[string]int{"Commit": 1, "BatchGetDocuments": 1}, got); d != "" {
		t.Errorf("a redelivery's calls (-want +got):\n%s", d)
	}

	began := time.Now()
	const many = 30
	for i := range many {
		assign(fmt.Sprint("c", i))
	}
	took := time.Since(began)
	got = c.taken()
	if most := int(took/time.Second) + 1; got["Commit"] != many || got["RunQuery"] > most || len(got) > 2 {
		t.Errorf("%v for %d assignments in %s, want as many commits and at most %d queries", got, many, took, most)
	}
	t.Logf("%d assignments in %s: %v", many, took, got)
}
