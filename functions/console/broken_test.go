package console_test

import (
	"context"
	"errors"
	"time"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/route"
)

var errDown = errors.New("store at 10.0.0.1 is down")

// brokenLog reads, but takes no entries.
type brokenLog struct{ audit.Log }

func (brokenLog) Record(context.Context, audit.Entry) error { return errDown }

type brokenLister struct{}

func (brokenLister) List(context.Context, claim.State, string, int) ([]claim.Stored, string, error) {
	return nil, "", errDown
}

type brokenLetters struct{ letter.Store }

func (brokenLetters) List(context.Context, string, int) ([]letter.Letter, string, error) {
	return nil, "", errDown
}

type brokenState struct{ route.Store }

func (brokenState) Read(context.Context, time.Time) (route.Snapshot, error) {
	return route.Snapshot{}, errDown
}
func (brokenState) History(context.Context, time.Time) ([]route.Past, error) { return nil, errDown }
func (brokenState) Recent(context.Context, int) ([]route.Assignment, error)  { return nil, errDown }
