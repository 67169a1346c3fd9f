package monitoring_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	client "cloud.google.com/go/monitoring/apiv3/v2"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"pgregory.net/rapid"

	"onceway.internal/shared/backlog"
	"onceway.internal/shared/backlog/monitoring"
	standin "onceway.internal/test/monitoring"
	"onceway.internal/test/monitoring/bench"
)

func TestNewestVisibleSampleIsReadWithItsAgeAndFlow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := queue("demo-project", "dg01-personalizer")
	for i := range int64(4) {
		b.set(q, standin.Figures{
			Undelivered: 1000 - 100*i, OldestUnacked: time.Duration(i) * time.Minute,
			AckedPull: 400 * i, AckedPush: 20 * i,
		})
		b.Minutes(1)
	}
	b.set(q, standin.Figures{}) // sampled, but not visible yet
	b.Minutes(1)

	got := b.reader(t, nil).Read(t.Context(), []backlog.Queue{q})
	// Lags are one to two minutes: at 12:05 at least the sample of 12:03 is there.
	want := backlog.Reading{Calls: 3, Samples: map[backlog.Queue]backlog.Sample{q: {
		At: bench.Noon.Add(3 * time.Minute), Undelivered: 700, Oldest: 3 * time.Minute,
		Earlier: backlog.Point{At: bench.Noon.Add(2 * time.Minute), Undelivered: 800},
		Flow: &backlog.Flow{
			From: bench.Noon.Add(2 * time.Minute), To: bench.Noon.Add(3 * time.Minute),
			Acked: 420, Before: 800, After: 700,
		},
	}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("reading (-want +got):\n%s", d)
	}
}

func TestQueueWithoutSeriesIsAbsentAndAnEmptyOneIsZero(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	idle, drained := queue("demo-project", "idle"), queue("demo-project", "drained")
	b.set(idle, standin.Figures{})
	b.set(drained, standin.Figures{AckedPull: 5})
	b.Minutes(3)
	got := b.reader(t, nil).Read(t.Context(), []backlog.Queue{idle, drained}).Samples
	if _, ok := got[idle]; ok {
		t.Error("a queue without a series came out with a figure")
	}
	if s, ok := got[drained]; !ok || s.Undelivered != 0 || s.Oldest != 0 {
		t.Errorf("drained queue: %+v, present %t; want a real zero", s, ok)
	}
}

func TestSampleOutsideTheWindowIsNone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := queue("demo-project", "dg01-personalizer")
	b.set(q, standin.Figures{Undelivered: 5})
	b.Minutes(1)
	end := b.Gap("projects/demo-project/subscriptions/dg01-personalizer")
	defer end()
	b.Minutes(9)
	if got := b.reader(t, nil).Read(t.Context(), []backlog.Queue{q}).Samples; len(got) != 0 {
		t.Errorf("a sample of ten minutes ago came out: %+v", got)
	}
}

func TestSubscriptionOfAnotherProjectIsNotTakenForIt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ours, theirs := queue("demo-project", "inbox"), queue("globex-project", "inbox")
	b.set(ours, standin.Figures{Undelivered: 1})
	b.set(theirs, standin.Figures{Undelivered: 2})
	b.Minutes(3)
	got := b.reader(t, nil).Read(t.Context(), []backlog.Queue{ours, theirs}).Samples
	if got[ours].Undelivered != 1 || got[theirs].Undelivered != 2 {
		t.Errorf("samples %+v, want 1 and 2", got)
	}
}

// fill makes 250 queues: 150 in one project, 100 in another.
func (b rig) fill() []backlog.Queue {
	var queues []backlog.Queue
	for i := range 250 {
		project := "demo-project"
		if i >= 150 {
			project = "globex-project"
		}
		q := queue(project, fmt.Sprintf("dg%03d-inbox", i))
		b.set(q, standin.Figures{Undelivered: int64(i), AckedPull: 1})
		queues = append(queues, q)
	}
	return queues
}

func TestOneCallForEachProjectMetricAndHundredSubscriptions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	queues := b.fill()
	b.Minutes(3)
	got := b.reader(t, nil).Read(t.Context(), queues)
	if len(got.Errors) != 0 || len(got.Samples) != 250 {
		t.Fatalf("%d samples, errors %v", len(got.Samples), got.Errors)
	}
	const want = (2 + 1) * 3 // 150 names are two filters, 100 are one; three metrics
	if served := b.Calls().List; served != want || got.Calls != want {
		t.Errorf("%d calls served, %d reported, want %d", served, got.Calls, want)
	}
}

func TestPagesAreFollowedAndBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	queues := b.fill()
	b.Minutes(3)
	got := b.reader(t, func(c *monitoring.Config) { c.Page = 60 }).Read(t.Context(), queues)
	if len(got.Samples) != 250 || len(got.Errors) != 0 {
		t.Errorf("%d samples, errors %v", len(got.Samples), got.Errors)
	}
	if served := b.Calls().List; served != got.Calls || served <= 9 {
		t.Errorf("%d calls served, %d reported, want the same and more than 9", served, got.Calls)
	}
	got = b.reader(t, func(c *monitoring.Config) { c.Page, c.Pages = 10, 2 }).Read(t.Context(), queues)
	if len(got.Errors) != 9 || got.Calls != 18 {
		t.Errorf("%d errors after %d calls, want all 9 listings stopped after 2 pages", len(got.Errors), got.Calls)
	}
}

func TestFailingProjectCostsOnlyItsOwnQueues(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ours, theirs := queue("demo-project", "inbox"), queue("globex-project", "inbox")
	b.set(ours, standin.Figures{Undelivered: 1})
	b.set(theirs, standin.Figures{Undelivered: 2})
	b.Minutes(3)
	b.Fail(standin.Fault{Project: "globex-project", Code: codes.PermissionDenied})
	got := b.reader(t, nil).Read(t.Context(), []backlog.Queue{ours, theirs})
	if len(got.Samples) != 1 || got.Samples[ours].Undelivered != 1 {
		t.Errorf("samples %+v, want only ours", got.Samples)
	}
	if len(got.Errors) != 3 {
		t.Fatalf("%d errors, want one for each metric", len(got.Errors))
	}
	for _, e := range got.Errors {
		if e.Project != "globex-project" || !e.Forbidden() || e.Quota() || status.Code(errors.Unwrap(e)) != codes.PermissionDenied {
			t.Errorf("error %+v, want permission denied for globex-project", e)
		}
	}
}

func TestQuotaAndSlowServiceAreToldApart(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ served, want codes.Code }{
		"quota":                       {codes.ResourceExhausted, codes.ResourceExhausted},
		"unavailable past the bound":  {codes.Unavailable, codes.DeadlineExceeded},
		"internal is not tried again": {codes.Internal, codes.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.Fail(standin.Fault{Code: tc.served})
			got := b.reader(t, func(c *monitoring.Config) {
				if tc.served == codes.Unavailable { // the client library tries again until its time is over
					c.Timeout = 150 * time.Millisecond
				}
			}).
				Read(t.Context(), []backlog.Queue{queue("demo-project", "inbox")})
			for _, e := range got.Errors {
				if e.Code != tc.want && e.Code != tc.served {
					t.Errorf("code %s, want %s", e.Code, tc.want)
				}
			}
			if len(got.Errors) != 3 || got.Errors[0].Quota() != (tc.served == codes.ResourceExhausted) {
				t.Errorf("errors %v", got.Errors)
			}
		})
	}
}

func TestQueueThatAnIncompleteAnswerLacksIsUnknownAndNotWithoutSeries(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := queue("demo-project", "inbox")
	b.set(q, standin.Figures{Undelivered: 1})
	b.Minutes(3)
	b.Fail(standin.Fault{
		Metric: "pubsub.googleapis.com/subscription/num_undelivered_messages", Code: codes.Unavailable, Incomplete: true,
	})
	got := b.reader(t, nil).Read(t.Context(), []backlog.Queue{q})
	if len(got.Errors) != 1 || got.Errors[0].Code != codes.Unavailable || !got.Unknown(q) {
		t.Errorf("reading %+v, want an error that hides the queue", got)
	}
}

func TestClientIsMadeAtFirstUseOnceAndAgainAfterAFailure(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	dials := 0
	dial := monitoring.Lazy(func(context.Context) (*client.MetricClient, error) {
		dials++
		if dials == 1 {
			return nil, errors.New("no credentials")
		}
		return b.Client, nil
	})
	r, err := monitoring.NewReader(monitoring.Config{Dial: dial, Now: b.Now})
	if err != nil {
		t.Fatal(err)
	}
	if dials != 0 {
		t.Error("the constructor dialled")
	}
	q := []backlog.Queue{queue("demo-project", "inbox")}
	if got := r.Read(t.Context(), q); len(got.Errors) != 1 || got.Errors[0].Part != "client" {
		t.Errorf("errors %v, want the failed dial", got.Errors)
	}
	for range 2 {
		if got := r.Read(t.Context(), q); len(got.Errors) != 0 {
			t.Errorf("errors %v, want a second dial to mend it", got.Errors)
		}
	}
	if dials != 2 {
		t.Errorf("%d dials, want 2", dials)
	}
}

// Whatever queues there are and however small the pages: each queue gets its
// own figure, none gets another's, none is lost.
func TestEveryQueueGetsItsOwnFigureWhateverThePages(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var queues []backlog.Queue
	for i := range 18 {
		q := queue([]string{"demo-project", "globex-project"}[i%2], fmt.Sprintf("s%02d", i/2))
		b.set(q, standin.Figures{Undelivered: int64(1000 + i), AckedPull: int64(i), AckedPush: int64(i % 4)})
		queues = append(queues, q)
	}
	b.Minutes(4)
	rapid.Check(t, func(rt *rapid.T) {
		some := rapid.SliceOfNDistinct(rapid.IntRange(0, 17), 1, 18, rapid.ID).Draw(rt, "queues")
		page := rapid.IntRange(9, 30).Draw(rt, "page")
		ask := make([]backlog.Queue, len(some))
		for i, k := range some {
			ask[i] = queues[k]
		}
		got := b.reader(t, func(c *monitoring.Config) { c.Page = page }).Read(t.Context(), ask)
		if len(got.Errors) != 0 || len(got.Samples) != len(some) {
			rt.Fatalf("%d samples of %d, errors %v", len(got.Samples), len(some), got.Errors)
		}
		for _, k := range some {
			if s := got.Samples[queues[k]]; s.Undelivered != int64(1000+k) {
				rt.Fatalf("queue %d has figure %d", k, s.Undelivered)
			}
		}
	})
}
