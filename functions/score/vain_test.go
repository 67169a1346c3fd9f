package score_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"onceway.internal/functions/score"
	"onceway.internal/shared/route"
	standin "onceway.internal/test/monitoring"
)

// failing is a state of which parts are down.
type failing struct {
	score.Store
	read, figures, rest bool
}

var errDown = errors.New("connection refused to 10.0.0.7")

func (f failing) Read(ctx context.Context, after time.Time) (route.Snapshot, error) {
	if f.read {
		return route.Snapshot{}, errDown
	}
	return f.Store.Read(ctx, after)
}

func (f failing) PutFigures(ctx context.Context, n route.Figures) (route.Figures, error) {
	if f.figures {
		return nil, errDown
	}
	return f.Store.PutFigures(ctx, n)
}

func (f failing) PutRecommendations(ctx context.Context, rs []route.Recommendation) error {
	if f.rest {
		return errDown
	}
	return f.Store.PutRecommendations(ctx, rs)
}

func (f failing) PutHistory(ctx context.Context, p route.Past) error {
	if f.rest {
		return errDown
	}
	return f.Store.PutHistory(ctx, p)
}

func TestSchedulerSeesAFailureOnlyWhenTheRunWasInVain(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		state  failing
		fault  *standin.Fault
		status int
		errors int
	}{
		"state can't be read":          {state: failing{read: true}, status: 503, errors: 1},
		"figures can't be written":     {state: failing{figures: true}, status: 200, errors: 1},
		"the rest can't be written":    {state: failing{rest: true}, status: 200, errors: 2},
		"nothing can be written":       {state: failing{figures: true, rest: true}, status: 503, errors: 3},
		"no project can be read":       {fault: &standin.Fault{Method: standin.List, Code: codes.PermissionDenied}, status: 503, errors: 6},
		"one project can't be read":    {fault: &standin.Fault{Project: "globex-project", Code: codes.PermissionDenied}, status: 200, errors: 3},
		"nothing fails":                {status: 200},
		"no queue has a series so far": {status: 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, 2)
			if name != "no queue has a series so far" {
				s.set("dg01", standin.Figures{Undelivered: 1})
			}
			s.minutes(3)
			if tc.fault != nil {
				s.Fail(*tc.fault)
			}
			tc.state.Store = s.store
			status, body, got := call(t, s.handler(t, func(c *score.Config) { c.Store = tc.state }))
			if strings.Contains(body, "10.0.0.7") {
				t.Errorf("the store's own words are in the answer: %s", body)
			}
			if status != tc.status || len(got.Errors) != tc.errors {
				t.Errorf("status %d with %d errors, want %d with %d: %s", status, len(got.Errors), tc.status, tc.errors, body)
			}
		})
	}
}
