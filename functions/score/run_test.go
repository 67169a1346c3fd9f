package score_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/types/known/timestamppb"

	"onceway.internal/functions/score"
	"onceway.internal/shared/backlog"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
	standin "onceway.internal/test/monitoring"
)

var visible = cmpopts.IgnoreUnexported(score.Summary{})

func TestRunMakesFiguresRecommendationsHistoryAndGauges(t *testing.T) {
	t.Parallel()
	s := newSite(t, 3)
	s.set("dg01", standin.Figures{Undelivered: 600})
	s.set("dg02", standin.Figures{AckedPull: 1}) // had a message once, is empty
	s.minutes(3)                                 // dg03 never had one

	status, body, got := call(t, s.handler(t, nil))
	want := score.Summary{
		Queues: 12, Read: 8, Fresh: 4, Zero: 4, Never: 4, Errors: []score.Failure{},
		Gauges: score.GaugeCount{Written: 2 + 3 + 8}, // scores of two groups, three first queues, eight samples
		Calls:  score.Calls{Monitoring: 6, Gauges: 1, State: 4},
	}
	if d := cmp.Diff(want, got, visible); d != "" || status != 200 {
		t.Errorf("status %d, %s; summary (-want +got):\n%s", status, body, d)
	}

	snap := s.snapshot(t)
	if f := snap.Figures["dg01"]["inbox"]; f.Backlog != 600 || !f.At.Equal(noon.Add(time.Minute)) {
		t.Errorf("figure of dg01-inbox %+v, want 600 at 12:01", f)
	}
	r, _, err := s.store.Recommendation(t.Context(), "delivery")
	if err != nil {
		t.Fatal(err)
	}
	weights := map[string]float64{}
	for _, topic := range r.Topics {
		weights[topic.Group] = topic.Weight
	}
	if math.Abs(weights["dg01"]+weights["dg02"]+weights["dg03"]-1) > 1e-9 || weights["dg02"] <= weights["dg01"] {
		t.Errorf("weights %v, want the empty group above the full one and 1 in all", weights)
	}
	if valid := r.ValidUntil.Sub(s.time()); valid != 3*time.Minute {
		t.Errorf("valid for %s, want three periods", valid)
	}
	past, err := s.store.History(t.Context(), noon)
	if err != nil || len(past) != 1 || past[0].Backlogs["dg01"]["personalizer"] != 600 || len(past[0].Groups) != 3 {
		t.Errorf("history %+v, error %v", past, err)
	}
	if _, ok := past[0].Backlogs["dg03"]["personalizer"]; ok {
		t.Error("history shows a backlog that was never sampled")
	}
	s.wantGauges(t, map[string]float64{
		// 2,400 messages owe the last queue 240 s; two minutes later three quarters of them are believed drained.
		"group_score dg01": 150, "group_score dg02": 0,
		// 60 s of work in the first queue, 90 s of drain believed.
		"expected_backlog dg01": 0, "expected_backlog dg02": 0, "expected_backlog dg03": 0,
		"sample_age dg01": 120, "sample_age dg02": 120,
	})
}

// wantGauges looks at the first queue's newest points.
func (s *site) wantGauges(t *testing.T, want map[string]float64) {
	t.Helper()
	got := map[string]float64{}
	for _, name := range []string{"group_score", "expected_backlog", "sample_age"} {
		it := s.client.ListTimeSeries(t.Context(), &monitoringpb.ListTimeSeriesRequest{
			Name:   "projects/demo-project",
			Filter: fmt.Sprintf("metric.type=%q", "custom.googleapis.com/onceway/"+name),
			Interval: &monitoringpb.TimeInterval{
				StartTime: timestamppb.New(s.time().Add(-time.Minute)), EndTime: timestamppb.New(s.time()),
			},
		})
		for one, err := it.Next(); err == nil; one, err = it.Next() {
			if q := one.GetMetric().GetLabels()["queue"]; q == "" || q == "personalizer" {
				got[name+" "+one.GetMetric().GetLabels()["group"]] = one.GetPoints()[0].GetValue().GetDoubleValue()
			}
		}
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-6)); d != "" {
		t.Errorf("gauges (-want +got):\n%s", d)
	}
}

func TestExpectedBacklogLeadsMonitoringByWhatWasRoutedSince(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1)
	s.set("dg01", standin.Figures{AckedPull: 1})
	s.minutes(3)
	_, err := s.store.Commit(t.Context(), route.Assignment{Campaign: "acme-spring", Group: "dg01", Topic: "t", Size: 1000, At: s.time()})
	if err != nil {
		t.Fatal(err)
	}
	call(t, s.handler(t, nil))
	s.wantGauges(t, map[string]float64{"group_score dg01": 100, "expected_backlog dg01": 1000, "sample_age dg01": 120})
}

func TestOneMonitoringCallForEachProjectMetricAndHundredSubscriptions(t *testing.T) {
	t.Parallel()
	s := newSite(t, 2)
	s.groups = groups.Config{Default: "dg001"}
	for i := range 50 { // 250 queues: 125 in each of two projects
		g := groups.Group{ID: fmt.Sprintf("dg%03d", i+1)}
		for k := range 5 {
			id := fmt.Sprintf("%s-q%d", g.ID, k)
			g.Queues = append(g.Queues, groups.Queue{
				Name: fmt.Sprintf("q%d", k), Topic: id, Subscription: id, Rate: 1, Fanout: 1,
				Project: []string{"demo-project", "globex-project"}[i%2],
			})
		}
		s.groups.Groups = append(s.groups.Groups, g)
		s.set(g.ID, standin.Figures{Undelivered: 5, AckedPush: 1})
	}
	s.minutes(3)
	_, _, got := call(t, s.handler(t, nil))
	const want = 2 * 3 * 2 // projects, metrics, filters of at most a hundred names
	if served := s.Calls(); served.List != want || got.Calls.Monitoring != want || got.Read != 250 || got.Fresh != 250 {
		t.Errorf("%d calls served, want %d; summary %+v", served.List, want, got)
	}
	if served := s.Calls(); served.Create != 2 || got.Gauges.Written != 50+50+250 {
		t.Errorf("%d calls wrote %d gauges, want 2 for 350", served.Create, got.Gauges.Written)
	}
}

func TestRateIsLearnedWhileTheQueueCannotRunEmpty(t *testing.T) {
	t.Parallel()
	s := newSite(t, 2)
	h := s.handler(t, nil)
	for i := range int64(40) {
		// dg01 works off 4 a second of a long backlog, dg02 acknowledges as little for lack of work.
		s.set("dg01", standin.Figures{Undelivered: 9000, AckedPull: 200 * i, AckedPush: 40 * i})
		s.set("dg02", standin.Figures{Undelivered: 0, AckedPull: 240 * i})
		s.minutes(1)
		call(t, h)
	}
	f := s.snapshot(t).Figures
	if got := f["dg01"]["personalizer"].Rate; got < 4 || got > 5 {
		t.Errorf("learned %.2f messages a second from a backlogged queue, want near 4", got)
	}
	if got := f["dg02"]["personalizer"].Rate; got != 0 {
		t.Errorf("learned %.2f messages a second from an idle queue", got)
	}
}

func TestRateIsNotLearnedFromAcknowledgementsThatEndedWithoutWork(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1)
	for i := range 3 {
		// Live figures say backlogged, but when acknowledgements were counted there was nothing to do.
		at := noon.Add(time.Duration(i) * time.Minute)
		h := s.handler(t, func(c *score.Config) {
			c.Source = answering{sample: backlog.Sample{
				At: at, Undelivered: 900, Live: true,
				Flow: &backlog.Flow{From: at.Add(-3 * time.Minute), To: at.Add(-2 * time.Minute), Acked: 60},
			}}
		})
		call(t, h)
		s.minutes(1)
	}
	if got := s.snapshot(t).Figures["dg01"]["inbox"].Rate; got != 0 {
		t.Errorf("learned %.2f messages a second", got)
	}
}
