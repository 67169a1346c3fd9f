package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// pause is between two tries of a command.
const pause = 10 * time.Second

// apply runs the commands, kind after kind, several of one kind at once. The first
// kind with a failure is the last: what comes after may need it.
func apply(ctx context.Context, out io.Writer, changes []change, jobs int) error {
	a := &applier{out: out}
	for start := 0; start < len(changes); {
		end := start
		for end < len(changes) && changes[end].kind == changes[start].kind {
			end++
		}
		if err := a.together(ctx, changes[start:end], jobs); err != nil {
			return fmt.Errorf("%w\nRun it again: what is done already is left alone", err)
		}
		start = end
	}
	return nil
}

type applier struct {
	mu  sync.Mutex
	out io.Writer
}

// together runs all it can and answers with the first error. What shares a lock is run
// one after the other, in its order.
func (a *applier) together(ctx context.Context, changes []change, jobs int) error {
	var group errgroup.Group
	group.SetLimit(jobs)
	for _, chain := range chains(changes) {
		group.Go(func() error {
			for _, c := range chain {
				if err := a.one(ctx, c); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// chains groups the changes that have a command by their locks.
func chains(changes []change) [][]change {
	var out [][]change
	at := map[string]int{}
	for _, c := range changes {
		i, locked := at[c.lock]
		switch {
		case c.args == nil:
		case c.lock != "" && locked:
			out[i] = append(out[i], c)
		default:
			at[c.lock] = len(out)
			out = append(out, []change{c})
		}
	}
	return out
}

func (a *applier) one(ctx context.Context, c change) error {
	g := &gcloud{}
	var err error
	for try := range max(c.tries, 1) {
		if try > 0 {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if _, err = g.output(ctx, append(c.args[:len(c.args):len(c.args)], "--quiet")...); err == nil {
			a.say(c)
			return nil
		}
	}
	return fmt.Errorf("%s %s: %w", c.kind, c.name, err)
}

func (a *applier) say(c change) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintf(a.out, "%s %s %s\n", c.done, c.kind, c.name)
}
