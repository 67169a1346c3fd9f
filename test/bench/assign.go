package main

import (
	"context"
	"fmt"
	"time"
)

const assignRounds = 4

// assign compares assignments through the function Assign, by HTTP, and through the
// router alone with a bare loop of the calls that they make: a commit of the same
// record and ledger entry for each, and the same query each second. All three have a
// connection and collections of their own in one Firestore emulator.
//
// What they ask of Firestore is counted beneath the client library, whose retries
// count too.
func assign(ctx context.Context, e *env) ([]figure, error) {
	server, err := e.firestore(ctx)
	if err != nil {
		return nil, err
	}
	var figures []figure
	callers := []int{1, 4, 16}
	for _, n := range callers {
		some, err := compareAssign(ctx, e.root, server.Addr, n, e.budget/time.Duration(len(callers)))
		if err != nil {
			return figures, fmt.Errorf("%d callers: %w", n, err)
		}
		figures = append(figures, some...)
	}
	return figures, nil
}

func compareAssign(ctx context.Context, root, firestore string, callers int, budget time.Duration) ([]figure, error) {
	var desks [3]*desk
	for i := range desks {
		d, err := openDesk(ctx, root, firestore)
		if err != nil {
			return nil, err
		}
		defer d.close()
		desks[i] = d
	}
	addr, stop, err := desks[0].serve()
	if err != nil {
		return nil, err
	}
	defer stop()
	bare, err := desks[2].bare(ctx)
	if err != nil {
		return nil, err
	}
	rounds, err := alternate(ctx, budget, assignRounds,
		side{"Assign by HTTP", desks[0].turn(func(ctx context.Context, d time.Duration) (round, error) {
			return desks[0].post(ctx, addr, callers, d)
		})},
		side{"the router", desks[1].turn(func(ctx context.Context, d time.Duration) (round, error) {
			return crowd(ctx, callers, d, desks[1].assign)
		})},
		side{"bare calls", desks[2].turn(func(ctx context.Context, d time.Duration) (round, error) {
			return crowd(ctx, callers, d, bare)
		})})
	if err != nil {
		return nil, err
	}
	name := func(what string) string { return fmt.Sprintf("assign/%s/%d", what, callers) }
	return []figure{
		{Name: name("http"), Ratio: faster(rounds[0], rounds[2]), Says: compare(rounds[0], rounds[2], "assignments", "bare calls")},
		{Name: name("router"), Ratio: faster(rounds[1], rounds[2]), Says: compare(rounds[1], rounds[2], "assignments", "bare calls")},
		desks[0].commits(name("commits")),
		desks[0].reads(name("reads")),
	}, nil
}
