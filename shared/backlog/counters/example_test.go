package counters_test

import (
	"context"
	"fmt"
	"time"

	"onceway.internal/shared/backlog"
	"onceway.internal/shared/backlog/counters"
	"onceway.internal/shared/backlog/counters/memcounters"
)

// A publisher counts up, the queue's worker counts down, and anybody may look.
func Example() {
	ctx := context.Background()
	store, err := memcounters.New(time.Now)
	if err != nil {
		fmt.Println(err)
		return
	}
	counts, err := counters.NewCounts(store)
	if err != nil {
		fmt.Println(err)
		return
	}
	live, err := counters.NewLive(store)
	if err != nil {
		fmt.Println(err)
		return
	}
	queue := backlog.Queue{Group: "dg01", Name: "personalizer"}
	_ = counts.Received(ctx, queue, 3) // counting never holds a message back
	_ = counts.Acked(ctx, queue, 1)
	fmt.Println(counters.Name(queue), live.Read(ctx, []backlog.Queue{queue}).Samples[queue].Undelivered)
	// Output: dg01-personalizer 2
}
