package main

import (
	"context"
	"time"
)

// bench is one row of the table.
type bench struct {
	name, about string
	// budget is how long it may measure; building and starting servers come on top.
	budget time.Duration
	// needs is what scripts/bench has to see to before: emulators, databases, node.
	needs []string
	// run measures for e.budget, which --for may have changed.
	run func(ctx context.Context, e *env) ([]figure, error)
}

// benches lists all, in the order in which they run.
func benches() []bench {
	return []bench{
		{"store", "events through the runner, against the same store calls in a bare loop", 110 * time.Second, []string{"emulators", "databases"}, store},
		{"push", "a push function, against functions.HTTP, functions.CloudEvent and net/http", 50 * time.Second, nil, push},
		{"pull", "the worker, against a bare Subscriber.Receive that acks", 50 * time.Second, []string{"emulators"}, pulling},
		{"cold", "exec to the first answer, size and memory of each function, against hello-worlds", 30 * time.Second, nil, cold},
		{"assign", "assignments from 1, 4 and 16 callers; reads and commits of each", 50 * time.Second, []string{"emulators"}, assign},
		{"score", "time and calls with 10, 100 and 1,000 queues", 30 * time.Second, nil, score},
		{"peers", "first-timers and duplicates, against AWS Powertools and Watermill", 100 * time.Second, []string{"databases", "node"}, peers},
		{"sim", "how well campaigns are routed, from the simulator's results", 0, nil, simulated},
	}
}

// chosen answers with the benches of those names, or all, and the first name that
// is none.
func chosen(names []string) (found []bench, unknown string) {
	all := benches()
	if len(names) == 0 {
		return all, ""
	}
	for _, name := range names {
		n := len(found)
		for _, b := range all {
			if b.name == name {
				found = append(found, b)
			}
		}
		if len(found) == n {
			return nil, name
		}
	}
	return found, ""
}
