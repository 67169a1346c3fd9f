package score_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"pgregory.net/rapid"

	"onceway.internal/functions/score"
	"onceway.internal/shared/backlog"
	standin "onceway.internal/test/monitoring"
)

// hanging never answers before its time is over.
type hanging struct{}

func (hanging) Read(ctx context.Context, _ []backlog.Queue) backlog.Reading {
	<-ctx.Done()
	return backlog.Reading{Errors: []*backlog.Error{{Part: "client", Code: codes.DeadlineExceeded, Hides: true, Err: ctx.Err()}}}
}

// answering gives one reading for every queue, once gate is open; a thousandfold for the group heavy.
type answering struct {
	sample backlog.Sample
	heavy  string
	asked  chan<- struct{} // nil: nobody waits
	gate   <-chan struct{} // nil: open
}

func (a answering) Read(_ context.Context, queues []backlog.Queue) backlog.Reading {
	if a.asked != nil {
		close(a.asked)
	}
	if a.gate != nil {
		<-a.gate
	}
	r := backlog.Reading{Samples: map[backlog.Queue]backlog.Sample{}}
	for _, q := range queues {
		one := a.sample
		if q.Group == a.heavy {
			one.Undelivered *= 1000
		}
		r.Samples[q] = one
	}
	return r
}

func TestTwoRunsAtOnceLeaveWhatOneWould(t *testing.T) {
	t.Parallel()
	alone, both := newSite(t, 3), newSite(t, 3)
	for _, s := range []*site{alone, both} {
		s.set("dg01", standin.Figures{Undelivered: 600, AckedPull: 1})
		s.set("dg02", standin.Figures{Undelivered: 60})
		s.minutes(4)
	}
	_, _, once := call(t, alone.handler(t, nil))

	h := both.handler(t, nil)
	sums := make([]score.Summary, 2)
	var all sync.WaitGroup
	for i := range sums {
		all.Go(func() {
			var status int
			if status, _, sums[i] = call(t, h); status != http.StatusOK {
				t.Errorf("status %d", status)
			}
		})
	}
	all.Wait()
	written := sums[0].Gauges.Written + sums[1].Gauges.Written
	refused := sums[0].Gauges.NotNewer + sums[1].Gauges.NotNewer
	if want := once.Gauges.Written; written != want || refused != want || len(sums[0].Errors)+len(sums[1].Errors) != 0 {
		t.Errorf("%d gauges written, %d refused, want %d of each; summaries %+v", written, refused, want, sums)
	}
	if d := cmp.Diff(alone.snapshot(t).Figures, both.snapshot(t).Figures); d != "" {
		t.Errorf("figures (-one run +two at once):\n%s", d)
	}
	past, err := both.store.History(t.Context(), noon)
	if err != nil || len(past) != 1 {
		t.Errorf("%d entries of history for one minute, error %v", len(past), err)
	}
}

func TestLateRunReplacesNothingNewer(t *testing.T) {
	t.Parallel()
	s := newSite(t, 2)
	asked, gate := make(chan struct{}), make(chan struct{})
	late := s.handler(t, func(c *score.Config) {
		c.Source = answering{backlog.Sample{At: noon.Add(-2 * time.Minute), Undelivered: 1}, "dg01", asked, gate}
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		call(t, late)
	}()
	<-asked // it has read the state, and now its source is slow
	s.minutes(2)
	call(t, s.handler(t, func(c *score.Config) {
		c.Source = answering{sample: backlog.Sample{At: noon.Add(time.Minute), Undelivered: 2}, heavy: "dg02"}
	}))
	before, _, err := s.store.Recommendation(t.Context(), "inbox")
	if err != nil {
		t.Fatal(err)
	}
	close(gate)
	<-done
	if f := s.snapshot(t).Figures["dg01"]["inbox"]; f.Backlog != 2 || !f.At.Equal(noon.Add(time.Minute)) || !f.Checked.Equal(noon.Add(2*time.Minute)) {
		t.Errorf("figure %+v, want the newer run's", f)
	}
	after, _, err := s.store.Recommendation(t.Context(), "inbox")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before.Topics, after.Topics); d != "" {
		t.Errorf("topics (-before +after the late run):\n%s", d)
	}
}

// Whatever samples runs come with, in whatever order: the newest stands.
func TestNewestSampleStandsWhateverTheOrderOfRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1)
	highest := time.Duration(-1)
	rapid.Check(t, func(rt *rapid.T) {
		for _, second := range rapid.SliceOfN(rapid.IntRange(0, 3600), 1, 6).Draw(rt, "seconds") {
			at := time.Duration(second) * time.Second
			h := s.handler(t, func(c *score.Config) {
				c.Gauges = nil
				c.Source = answering{sample: backlog.Sample{At: noon.Add(at), Undelivered: int64(second)}}
			})
			if _, err := h.Run(context.Background()); err != nil {
				rt.Fatal(err)
			}
			highest = max(highest, at)
		}
		if f := s.snapshot(t).Figures["dg01"]["delivery"]; !f.At.Equal(noon.Add(highest)) || f.Backlog != highest.Seconds() {
			rt.Fatalf("figure %+v, want the one of %s", f, highest)
		}
	})
}
