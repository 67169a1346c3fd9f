package monitoring_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"onceway.internal/test/monitoring"
)

const (
	backlog = `metric.type="pubsub.googleapis.com/subscription/num_undelivered_messages"`
	acks    = `metric.type="pubsub.googleapis.com/subscription/ack_message_count"`
)

// list reads a whole listing; each point is "subscription[/delivery type] @seconds = value", seconds counted from noon.
func (b rig) list(t *testing.T, r *monitoringpb.ListTimeSeriesRequest) ([]string, error) {
	t.Helper()
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	points := []string{}
	it := b.Client.ListTimeSeries(t.Context(), r)
	for {
		one, err := it.Next()
		if errors.Is(err, iterator.Done) {
			return points, nil
		}
		if err != nil {
			return nil, err
		}
		name := one.GetResource().GetLabels()["subscription_id"]
		if way := one.GetMetric().GetLabels()["delivery_type"]; way != "" {
			name += "/" + way
		}
		for _, p := range one.GetPoints() {
			at := p.GetInterval().GetEndTime().AsTime().Sub(noon)
			points = append(points, fmt.Sprintf("%s @%.0f = %d", name, at.Seconds(), p.GetValue().GetInt64Value()))
		}
	}
}

func TestSampleIsInvisibleUntilItsLagIsOver(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Set(sub, monitoring.Figures{Undelivered: 7})
	b.Sample()
	for _, step := range []struct {
		wait time.Duration
		want []string
	}{
		{59 * time.Second, []string{}},                           // the least lag is a minute
		{61 * time.Second, []string{"dg01-personalizer @0 = 7"}}, // the most is two
	} {
		b.Pass(step.wait)
		got, err := b.list(t, b.lately(backlog))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(step.want, got); d != "" {
			t.Errorf("%s after the sample (-want +got):\n%s", step.wait, d)
		}
	}
}

func TestIdleSubscriptionHasNoSeriesUntilItsFirstMessage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Set(sub, monitoring.Figures{})
	b.Minutes(1)
	b.Set(sub, monitoring.Figures{Undelivered: 3})
	b.Minutes(1)
	b.Set(sub, monitoring.Figures{AckedPull: 3})
	b.Minutes(1)
	b.Pass(2 * time.Minute)
	got, err := b.list(t, b.lately(backlog))
	if err != nil {
		t.Fatal(err)
	}
	// Once it had a message, a zero is a real one.
	want := []string{"dg01-personalizer @120 = 0", "dg01-personalizer @60 = 3"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("points (-want +got):\n%s", d)
	}
}

func TestAcknowledgedMessagesAreDeltasForEachWayOfDelivery(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i := range 3 {
		b.Set(sub, monitoring.Figures{Undelivered: 9, AckedPull: int64(10 * i), AckedPush: int64(100 * i)})
		b.Minutes(1)
	}
	b.Pass(2 * time.Minute)
	got, err := b.list(t, b.lately(acks))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"dg01-personalizer/pull @120 = 10", "dg01-personalizer/pull @60 = 10",
		"dg01-personalizer/push @120 = 100", "dg01-personalizer/push @60 = 100",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("points (-want +got):\n%s", d)
	}
}

func TestPagesCountPointsAndLoseNone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i := range 5 {
		for q := range 3 {
			b.Set(fmt.Sprintf("projects/demo-project/subscriptions/q%d", q), monitoring.Figures{Undelivered: int64(i + 1)})
		}
		b.Minutes(1)
	}
	b.Pass(2 * time.Minute)
	whole, err := b.list(t, b.lately(backlog))
	if err != nil {
		t.Fatal(err)
	}
	before := b.Calls().List
	r := b.lately(backlog)
	r.PageSize = 4
	paged, err := b.list(t, r)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(whole, paged); d != "" || len(whole) != 15 {
		t.Errorf("%d points; in pages (-whole +paged):\n%s", len(whole), d)
	}
	if got := b.Calls().List - before; got != 4 {
		t.Errorf("15 points in pages of 4 took %d calls, want 4", got)
	}
}

func TestForeignPageTokenIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Set(sub, monitoring.Figures{Undelivered: 1})
	for range 4 {
		b.Minutes(1)
	}
	first := b.lately(backlog)
	first.PageSize = 1
	it := b.Client.ListTimeSeries(t.Context(), first)
	if _, err := it.Next(); err != nil || it.PageInfo().Token == "" {
		t.Fatalf("error %v, token %q: want a second page", err, it.PageInfo().Token)
	}
	for name, token := range map[string]string{"garbage": "bm90IG91cnM=", "another request's": it.PageInfo().Token} {
		r := b.lately(acks)
		r.PageToken = token
		if _, err := b.list(t, r); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: error %v, want InvalidArgument", name, err)
		}
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, name := range []string{"dg01-inbox", "dg02-inbox", "dg02-delivery"} {
		b.Set("projects/demo-project/subscriptions/"+name, monitoring.Figures{Undelivered: 1})
	}
	b.Minutes(1)
	b.Pass(2 * time.Minute)
	names := func(n int) string { return `one_of("dg01-inbox"` + strings.Repeat(`, "x"`, n-1) + `)` }
	all := []string{"dg01-inbox", "dg02-delivery", "dg02-inbox"}
	for name, tc := range map[string]struct {
		filter string
		want   []string // nil: InvalidArgument
	}{
		"metric alone":       {backlog, all},
		"resource type":      {backlog + ` AND resource.type = "pubsub_subscription"`, all},
		"other resource":     {backlog + ` AND resource.type = "global"`, []string{}},
		"one name":           {backlog + ` AND resource.label.subscription_id="dg02-inbox"`, all[2:]},
		"not that name":      {backlog + ` AND resource.labels.subscription_id != "dg02-inbox"`, all[:2]},
		"a hundred names":    {backlog + ` AND resource.labels.subscription_id=` + names(100), all[:1]},
		"prefix":             {backlog + ` AND resource.labels.subscription_id=starts_with("dg02-")`, all[1:]},
		"project":            {`project="demo-project" AND ` + backlog, all},
		"too many names":     {backlog + ` AND resource.labels.subscription_id=` + names(101), nil},
		"no metric":          {`resource.type="pubsub_subscription"`, nil},
		"two metrics":        {backlog + " AND " + acks, nil},
		"metric by function": {`metric.type=starts_with("pubsub")`, nil},
		"empty":              {``, nil},
		"unquoted":           {backlog + ` AND resource.type=pubsub`, nil},
		"open list":          {backlog + ` AND resource.labels.subscription_id=one_of("a"`, nil},
		"unknown selector":   {backlog + ` AND resource.subscription="a"`, nil},
		"dangling AND":       {backlog + ` AND`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			points, err := b.list(t, b.lately(tc.filter))
			if tc.want == nil {
				if status.Code(err) != codes.InvalidArgument {
					t.Errorf("error %v, want InvalidArgument", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, p := range points {
				got = append(got, strings.Fields(p)[0])
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("subscriptions (-want +got):\n%s", d)
			}
		})
	}
}

func TestGapLosesSamplesAndFaultsFailCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Set(sub, monitoring.Figures{Undelivered: 1})
	b.Minutes(1)
	end := b.Gap(sub)
	b.Minutes(1)
	end()
	b.Minutes(1)
	b.Pass(2 * time.Minute)
	b.Fail(monitoring.Fault{Method: monitoring.List, Project: "demo-project", Code: codes.PermissionDenied, Times: 1})
	if _, err := b.list(t, b.lately(backlog)); status.Code(err) != codes.PermissionDenied {
		t.Errorf("error %v, want PermissionDenied", err)
	}
	lift := b.Fail(monitoring.Fault{Code: codes.ResourceExhausted})
	if _, err := b.list(t, b.lately(backlog)); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("error %v, want ResourceExhausted", err)
	}
	lift()
	got, err := b.list(t, b.lately(backlog))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"dg01-personalizer @120 = 1", "dg01-personalizer @0 = 1"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("points (-want +got):\n%s", d)
	}
	if got := b.Calls(); got.List != 3 || got.ByProject["demo-project"] != 3 {
		t.Errorf("calls %+v, want 3 of them", got)
	}
}
