package counters_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/grpc/codes"
	"pgregory.net/rapid"

	"onceway.internal/shared/backlog"
	"onceway.internal/shared/backlog/counters"
	"onceway.internal/shared/backlog/counters/memcounters"
)

var (
	noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	q    = backlog.Queue{Group: "dg01", Name: "personalizer", Project: "demo-project", Subscription: "dg01-personalizer"}
)

// plant is a queue with its true backlog, a counter that workers keep (or forget
// to), and a reference that samples the truth each minute and shows it two
// minutes later. Score reads half a minute after each sample.
type plant struct {
	now    time.Time
	truth  int64
	points []backlog.Point
	store  *memcounters.Store
	source *counters.Reconciled
	broken bool // the store
}

func newPlant(t interface{ Fatal(...any) }) *plant {
	p := &plant{now: noon}
	var err error
	if p.store, err = memcounters.New(func() time.Time { return p.now }); err != nil {
		t.Fatal(err)
	}
	if p.source, err = counters.NewReconciled(breakable{p.store, &p.broken}, reference{p}, nil); err != nil {
		t.Fatal(err)
	}
	return p
}

type reference struct{ *plant }

func (r reference) Read(context.Context, []backlog.Queue) backlog.Reading {
	reading := backlog.Reading{Samples: map[backlog.Queue]backlog.Sample{}, Calls: 3}
	var s backlog.Sample
	for _, p := range r.points {
		if r.now.Sub(p.At) >= 2*time.Minute {
			s = backlog.Sample{At: p.At, Undelivered: p.Undelivered, Oldest: time.Second, Earlier: backlog.Point{At: s.At, Undelivered: s.Undelivered}}
		}
	}
	if !s.At.IsZero() {
		reading.Samples[q] = s
	}
	return reading
}

type breakable struct {
	counters.Store
	broken *bool
}

func (b breakable) Read(ctx context.Context, names []string) (map[string]counters.Counter, time.Time, error) {
	if *b.broken {
		return nil, time.Time{}, errors.New("connection refused")
	}
	return b.Store.Read(ctx, names)
}

// move changes the queue by in and out messages, of which lost are not counted out.
func (p *plant) move(in, out, lost int64) {
	p.truth += in - out
	_, _ = p.store.Add(context.Background(), counters.Name(q), in-(out-lost)) // memory never fails
}

// minute samples, reads after half a minute, and answers with what was read.
func (p *plant) minute() backlog.Reading { return p.minuteWith(func() {}) }

// minuteWith is a minute in which something happens between sample and reading.
func (p *plant) minuteWith(between func()) backlog.Reading {
	p.points = append(p.points, backlog.Point{At: p.now, Undelivered: p.truth})
	between()
	p.now = p.now.Add(30 * time.Second)
	got := p.source.Read(context.Background(), []backlog.Queue{q})
	p.now = p.now.Add(30 * time.Second)
	return got
}

func TestLiveCounterIsTheFigureAndKeepsTheAgeOfTheReference(t *testing.T) {
	t.Parallel()
	p := newPlant(t)
	p.move(100, 0, 0)
	for range 4 {
		p.minute()
	}
	p.move(20, 50, 0)
	at := p.now.Add(30 * time.Second)
	got := p.minute()
	want := backlog.Reading{Calls: 3, Samples: map[backlog.Queue]backlog.Sample{
		q: {At: at, Undelivered: 70, Oldest: time.Second, Live: true},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("reading (-want +got):\n%s", d)
	}
}

func TestSteadyTrafficIsNotTakenForDriftThoughTheReferenceIsMinutesOld(t *testing.T) {
	t.Parallel()
	p := newPlant(t)
	for i := range 30 {
		p.move(600, 100, 0) // fills by 500 a minute: 1,500 between figure and now
		if got := p.minute(); len(got.Drifts) != 0 {
			t.Fatalf("minute %d: drift %+v of a counter that is right", i, got.Drifts)
		}
	}
}

func TestBurstOrDipBetweenTwoNotesIsNotTakenForDrift(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int64{"burst": 5000, "dip": -5000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlant(t)
			p.move(6000, 0, 0)
			for i := range 12 {
				got := backlog.Reading{}
				if i == 5 { // there when the figure is sampled, gone when the counter is noted
					p.move(size, 0, 0)
					got = p.minuteWith(func() { p.move(-size, 0, 0) })
				} else {
					got = p.minute()
				}
				if s := got.Samples[q]; len(got.Drifts) != 0 || s.Undelivered != 6000 {
					t.Fatalf("minute %d: %+v of a counter that is right", i, got)
				}
			}
		})
	}
}

func TestMovementWithinAMinuteIsNotTakenForDrift(t *testing.T) {
	t.Parallel()
	p := newPlant(t)
	for i := range 12 { // each figure is 100 above the counter's next note, each note 500 above the one before
		p.move(600, 0, 0)
		if got := p.minuteWith(func() { p.move(0, 100, 0) }); len(got.Drifts) != 0 {
			t.Fatalf("minute %d: drift %+v of a counter that is right", i, got.Drifts)
		}
	}
}

func TestLostCountIsCorrectedOnceAndReported(t *testing.T) {
	t.Parallel()
	p := newPlant(t)
	p.move(100, 0, 0)
	for range 5 {
		p.minute()
	}
	p.move(0, 40, 25) // a worker died with 25 acknowledged and not counted
	var drifts []backlog.Drift
	var last backlog.Reading
	for range 10 {
		last = p.minute()
		drifts = append(drifts, last.Drifts...)
		if got := last.Samples[q].Undelivered; len(last.Drifts) > 0 && got != 60 {
			t.Errorf("figure %d in the very run that corrects, want 60", got)
		}
	}
	want := []backlog.Drift{{Queue: q, Off: 25, Corrected: true}}
	if d := cmp.Diff(want, drifts, cmpopts.IgnoreFields(backlog.Drift{}, "At")); d != "" {
		t.Errorf("drifts (-want +got):\n%s", d)
	}
	if got := last.Samples[q].Undelivered; got != 60 {
		t.Errorf("figure %d, want the truth, 60", got)
	}
}

func TestCounterBelowZeroCountsAsZeroAndIsReported(t *testing.T) {
	t.Parallel()
	p := newPlant(t)
	p.move(0, 0, -3) // three acknowledgements counted that were never received
	got := p.minute()
	if s := got.Samples[q]; s.Undelivered != 0 {
		t.Errorf("figure %d, want 0", s.Undelivered)
	}
	if len(got.Drifts) != 1 || got.Drifts[0].Off != -3 || got.Drifts[0].Corrected {
		t.Errorf("drifts %+v, want -3, left for the comparison", got.Drifts)
	}
	for range 8 {
		got = p.minute()
	}
	if len(got.Drifts) != 0 || got.Samples[q].Undelivered != 0 {
		t.Errorf("reading %+v, want it mended by the reference", got)
	}
}

func TestCountedQueueWithoutACounterStartsWithTheReference(t *testing.T) {
	t.Parallel()
	p := newPlant(t)
	p.truth = 90
	var got backlog.Reading
	for range 3 {
		got = p.minute()
	}
	if s := got.Samples[q]; s.Undelivered != 90 || s.Live {
		t.Errorf("sample %+v, want the reference's own", s)
	}
	p.move(10, 0, 0)
	if s := p.minute().Samples[q]; s.Undelivered != 100 || !s.Live {
		t.Errorf("sample %+v, want a live 100", s)
	}
}

func TestReferenceAnswersWhileCountersAreDownAndForQueuesNotCounted(t *testing.T) {
	t.Parallel()
	p := newPlant(t)
	p.move(9, 0, 0)
	for range 4 {
		p.minute()
	}
	p.broken = true
	got := p.minute()
	if s := got.Samples[q]; s.Live || s.Undelivered != 9 {
		t.Errorf("sample %+v, want the reference's", s)
	}
	if len(got.Errors) != 1 || got.Errors[0].Code != codes.Unavailable || got.Errors[0].Part != "counters" {
		t.Errorf("errors %v, want that counters are down", got.Errors)
	}
	none, err := counters.NewReconciled(breakable{p.store, &p.broken}, reference{p}, func(backlog.Queue) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	if got := none.Read(t.Context(), []backlog.Queue{q}); len(got.Errors) != 0 || got.Samples[q].Live {
		t.Errorf("reading %+v: counters were asked for a queue that is not counted", got)
	}
}

// Whatever was lost while there was traffic: some quiet minutes later the
// counter says the truth.
func TestCounterComesBackToTheTruthWhateverWasLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := newPlant(rt)
		p.move(1000, 0, 0)
		for range rapid.IntRange(1, 20).Draw(rt, "minutes") {
			in, out := rapid.Int64Range(0, 500).Draw(rt, "in"), rapid.Int64Range(0, 500).Draw(rt, "out")
			out = min(out, p.truth+in)
			p.move(in, out, rapid.Int64Range(-50, 50).Draw(rt, "lost"))
			if s := p.minute().Samples[q]; s.Undelivered < 0 {
				rt.Fatalf("negative figure %d", s.Undelivered)
			}
		}
		for range 15 {
			p.minute()
		}
		if s := p.minute().Samples[q]; s.Undelivered != p.truth {
			rt.Fatalf("figure %d, truth %d", s.Undelivered, p.truth)
		}
	})
}
