package audit

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Act records that e is about to happen, does it, and records how it ended. When the
// first entry can't be kept, nothing is done. e's ID and outcome are Act's to set.
func Act(ctx context.Context, log Log, e Entry, do func(context.Context) error) error {
	id := e.ID
	e.ID, e.Outcome = id+"/started", Started
	if err := log.Record(ctx, e); err != nil {
		return fmt.Errorf("record %s in the audit log: nothing was done: %w", e.Action, err)
	}
	began := time.Now()
	err := do(ctx)
	e.At = e.At.Add(max(time.Since(began), time.Microsecond)) // after its beginning in every list
	e.ID, e.Outcome = id+"/ended", Done
	if err != nil {
		e.Outcome, e.After = Unknown, err.Error()
	}
	if rerr := log.Record(context.WithoutCancel(ctx), e); rerr != nil {
		err = errors.Join(err, fmt.Errorf("record the end of %s in the audit log: %w", e.Action, rerr))
	}
	return err
}
