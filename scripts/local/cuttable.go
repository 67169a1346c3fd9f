package main

import (
	"context"
	"errors"
	"sync/atomic"

	"onceway.internal/shared/claim"
)

var errCut = errors.New("the connection to the claim store was cut")

// cuttable is a claim store that one worker can lose. To the worker a cut looks like
// the death of its connection: whether the last write happened stays open.
type cuttable struct {
	claim.Store
	lost atomic.Bool
}

func (c *cuttable) cut()        { c.lost.Store(true) }
func (c *cuttable) isCut() bool { return c.lost.Load() }

func (c *cuttable) Create(ctx context.Context, r claim.Record) (claim.Stored, error) {
	if c.isCut() {
		return claim.Stored{}, errCut
	}
	return c.Store.Create(ctx, r)
}

func (c *cuttable) Get(ctx context.Context, id string) (claim.Stored, error) {
	if c.isCut() {
		return claim.Stored{}, errCut
	}
	return c.Store.Get(ctx, id)
}

func (c *cuttable) Swap(ctx context.Context, id, version string, r claim.Record) (claim.Stored, error) {
	if c.isCut() {
		return claim.Stored{}, errCut
	}
	return c.Store.Swap(ctx, id, version, r)
}
