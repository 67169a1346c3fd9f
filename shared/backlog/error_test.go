package backlog_test

import (
	"errors"
	"testing"

	"google.golang.org/grpc/codes"

	"onceway.internal/shared/backlog"
)

func TestQueueWithoutSampleIsUnknownOnlyWhereAnErrorHidIt(t *testing.T) {
	t.Parallel()
	q := backlog.Queue{Group: "dg01", Name: "inbox", Project: "demo-project", Subscription: "dg01-inbox"}
	there := map[backlog.Queue]backlog.Sample{q: {Undelivered: 1}}
	for name, tc := range map[string]struct {
		reading backlog.Reading
		want    bool
	}{
		"nothing failed":      {backlog.Reading{}, false},
		"its project failed":  {backlog.Reading{Errors: []*backlog.Error{{Project: "demo-project", Hides: true}}}, true},
		"everything failed":   {backlog.Reading{Errors: []*backlog.Error{{Hides: true}}}, true},
		"another project did": {backlog.Reading{Errors: []*backlog.Error{{Project: "globex-project", Hides: true}}}, false},
		"its age failed":      {backlog.Reading{Errors: []*backlog.Error{{Project: "demo-project"}}}, false},
		"it is there anyway":  {backlog.Reading{Samples: there, Errors: []*backlog.Error{{Hides: true}}}, false},
	} {
		if got := tc.reading.Unknown(q); got != tc.want {
			t.Errorf("%s: unknown is %t", name, got)
		}
	}
}

func TestErrorSaysWhetherWaitingHelps(t *testing.T) {
	t.Parallel()
	for code, want := range map[codes.Code]struct{ quota, forbidden bool }{
		codes.ResourceExhausted: {true, false},
		codes.PermissionDenied:  {false, true},
		codes.Unauthenticated:   {false, true},
		codes.Unavailable:       {false, false},
	} {
		e := &backlog.Error{Project: "demo-project", Part: "ack_message_count", Code: code, Err: errors.New("why")}
		if e.Quota() != want.quota || e.Forbidden() != want.forbidden {
			t.Errorf("%s: quota %t, forbidden %t", code, e.Quota(), e.Forbidden())
		}
	}
}
