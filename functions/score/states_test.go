package score_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"

	"onceway.internal/functions/score"
	"onceway.internal/shared/backlog"
	standin "onceway.internal/test/monitoring"
)

func TestFailingProjectKeepsItsLastSampleAndIsSaid(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]codes.Code{"permission": codes.PermissionDenied, "quota": codes.ResourceExhausted} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, 2)
			s.set("dg01", standin.Figures{Undelivered: 10})
			s.set("dg02", standin.Figures{Undelivered: 20})
			s.minutes(3)
			h := s.handler(t, nil)
			call(t, h)
			s.Fail(standin.Fault{Method: standin.List, Project: "globex-project", Code: code})
			s.minutes(1)

			status, body, got := call(t, h)
			if status != http.StatusOK || got.Read != 4 || got.Fresh != 8 {
				t.Errorf("status %d, summary %+v: want 4 queues read and 4 held", status, got)
			}
			want := []score.Failure{
				{Project: "globex-project", Part: "ack_message_count", Code: code.String()},
				{Project: "globex-project", Part: "num_undelivered_messages", Code: code.String()},
				{Project: "globex-project", Part: "oldest_unacked_message_age", Code: code.String()},
			}
			slices.SortFunc(got.Errors, func(a, b score.Failure) int { return strings.Compare(a.Part, b.Part) })
			if d := cmp.Diff(want, got.Errors); d != "" {
				t.Errorf("errors (-want +got):\n%s", d)
			}
			if strings.Contains(body, "injected") {
				t.Errorf("the service's own words are in the answer: %s", body)
			}
			if log := s.logged.String(); strings.Count(log, "level=WARN") != 3 || !strings.Contains(log, "injected") {
				t.Errorf("log %s, want three warnings with the service's words", log)
			}

			s.minutes(6)
			_, _, got = call(t, h)
			if f := s.snapshot(t).Figures["dg02"]["inbox"]; got.Stale != 4 || got.Missing != 0 || f.Backlog != 20 {
				t.Errorf("summary %+v, figure %+v: want the last sample held, and stale", got, f)
			}
		})
	}
}

func TestGapIsMissingAndNotZero(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1)
	s.set("dg01", standin.Figures{Undelivered: 10})
	s.minutes(3)
	h := s.handler(t, nil)
	call(t, h)
	s.Gap("projects/demo-project/subscriptions/dg01-inbox")
	s.minutes(12)
	_, _, got := call(t, h)
	if f := s.snapshot(t).Figures["dg01"]["inbox"]; got.Missing != 1 || got.Fresh != 3 || f.Backlog != 10 || !f.Gap {
		t.Errorf("summary %+v, figure %+v: want one queue missing with its last sample", got, f)
	}
}

func TestMissingAcknowledgementsCostNoFigure(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1)
	s.set("dg01", standin.Figures{Undelivered: 10, AckedPull: 1})
	s.minutes(3)
	s.Fail(standin.Fault{Metric: "pubsub.googleapis.com/subscription/ack_message_count", Code: codes.Internal})
	_, _, got := call(t, s.handler(t, nil))
	if got.Fresh != 4 || len(got.Errors) != 1 {
		t.Errorf("summary %+v, want four fresh queues and an error", got)
	}
}

func TestGaugesThatCantBeWrittenCostNothingElse(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1)
	s.set("dg01", standin.Figures{Undelivered: 10})
	s.minutes(3)
	s.Fail(standin.Fault{Method: standin.Create, Code: codes.PermissionDenied})
	status, _, got := call(t, s.handler(t, nil))
	want := []score.Failure{{Project: "demo-project", Part: "gauges", Code: "PermissionDenied"}}
	if d := cmp.Diff(want, got.Errors); d != "" || status != http.StatusOK || got.Fresh != 4 {
		t.Errorf("status %d, summary %+v; errors (-want +got):\n%s", status, got, d)
	}
}

func TestOtherMethodsAreRefusedAndDoNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1)
	h := s.handler(t, nil)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, "/", nil))
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != http.MethodPost ||
			w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: status %d, headers %v", method, w.Code, w.Header())
		}
	}
	if calls := s.Calls(); calls.List != 0 {
		t.Errorf("%d calls of Monitoring for refused methods", calls.List)
	}
}

func TestSlowSourceLeavesTimeToWrite(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1)
	h := s.handler(t, func(c *score.Config) { c.Source, c.Timeout = hanging{}, 2*time.Second }) // time to write, on a busy machine too
	status, _, got := call(t, h)
	if _, _, err := s.store.Recommendation(t.Context(), "inbox"); err != nil {
		t.Errorf("recommendation: %v", err)
	}
	if status != http.StatusServiceUnavailable || len(got.Errors) != 1 || got.Errors[0].Code != "DeadlineExceeded" {
		t.Errorf("status %d, summary %+v: want only the source's time-out", status, got)
	}
}

// drifting is a source whose counters were off, and that could not note them.
type drifting struct{ answering }

func (d drifting) Read(ctx context.Context, queues []backlog.Queue) backlog.Reading {
	r := d.answering.Read(ctx, queues)
	r.Drifts = []backlog.Drift{{Queue: queues[0], At: noon, Off: 25, Corrected: true}}
	r.Errors = []*backlog.Error{{Part: "counters", Code: codes.Unavailable, Err: errDown}}
	return r
}

func TestDriftOfCountersIsReported(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1)
	h := s.handler(t, func(c *score.Config) {
		c.Source = drifting{answering{sample: backlog.Sample{At: noon, Undelivered: 3, Live: true}}}
	})
	status, _, got := call(t, h)
	drifts := []score.Drift{{Group: "dg01", Queue: "personalizer", Off: 25, Corrected: true}}
	failures := []score.Failure{{Part: "counters", Code: "Unavailable"}}
	if d := cmp.Diff(drifts, got.Drifts) + cmp.Diff(failures, got.Errors); d != "" || status != http.StatusOK || got.Fresh != 4 {
		t.Errorf("status %d, summary %+v (-want +got):\n%s", status, got, d)
	}
	if log := s.logged.String(); !strings.Contains(log, "counter was off") || !strings.Contains(log, "off=25") {
		t.Errorf("log %s, want the drift", log)
	}
}

func TestConfigNamesEveryFault(t *testing.T) {
	t.Parallel()
	c := config(1)
	c.Groups[0].Queues[2].Project = ""
	_, err := score.New(score.Config{Groups: c, Timeout: -1})
	for _, want := range []string{"delivery of dg01", "source:", "store:", "log:", "timeout:"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %q", err, want)
		}
	}
}
