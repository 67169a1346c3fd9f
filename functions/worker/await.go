package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onceway.internal/functions/table"
	"onceway.internal/shared/claim"
)

const (
	// storeWithin is how long the worker waits for its claim store at the start; then it
	// ends, for its supervisor to see.
	storeWithin = time.Minute
	firstPause  = 250 * time.Millisecond
	longPause   = 5 * time.Second
)

// awaitStore waits until the claim store answers: where both start together it may be
// the later one. What waiting can't mend ends it at once, as does the end of ctx.
func awaitStore(ctx context.Context, app *table.App, within time.Duration) error {
	enough, stop := context.WithTimeout(ctx, within)
	defer stop()
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		call, done := context.WithTimeout(enough, app.Config.Once.StoreTimeout)
		err := app.Reach(call)
		done()
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, claim.ErrUnusable) {
			return err
		}
		app.Log.WarnContext(ctx, "the claim store does not answer yet: nothing is pulled until it does", "store", app.Config.Store.Claims, "error", err.Error())
		select {
		case <-enough.Done():
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("the claim store did not answer within %v: is it up, and does its setting say where? %w", within, err)
		case <-time.After(pause):
		}
	}
}
