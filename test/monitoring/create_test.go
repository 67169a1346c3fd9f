package monitoring_test

import (
	"testing"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/genproto/googleapis/api/metric"
	"google.golang.org/genproto/googleapis/api/monitoredres"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"
)

func gauge(group string, at time.Time) *monitoringpb.TimeSeries {
	return &monitoringpb.TimeSeries{
		Metric:   &metric.Metric{Type: "custom.googleapis.com/onceway/group_score", Labels: map[string]string{"group": group}},
		Resource: &monitoredres.MonitoredResource{Type: "global"},
		Points: []*monitoringpb.Point{{
			Interval: &monitoringpb.TimeInterval{EndTime: timestamppb.New(at)},
			Value:    &monitoringpb.TypedValue{Value: &monitoringpb.TypedValue_DoubleValue{DoubleValue: 1.5}},
		}},
	}
}

func (b rig) create(t *testing.T, series ...*monitoringpb.TimeSeries) error {
	t.Helper()
	return b.Client.CreateTimeSeries(t.Context(), &monitoringpb.CreateTimeSeriesRequest{
		Name: "projects/demo-project", TimeSeries: series,
	})
}

func TestPointThatIsNotNewerIsRefusedForItsSeriesAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := b.create(t, gauge("dg01", b.Now())); err != nil {
		t.Fatal(err)
	}
	err := b.create(t, gauge("dg01", b.Now()), gauge("dg02", b.Now()))
	if status.Code(err) != codes.InvalidArgument {
		t.Fatalf("error %v, want InvalidArgument", err)
	}
	var summary *monitoringpb.CreateTimeSeriesSummary
	for _, d := range status.Convert(err).Details() {
		summary, _ = d.(*monitoringpb.CreateTimeSeriesSummary)
	}
	if summary.GetTotalPointCount() != 2 || summary.GetSuccessPointCount() != 1 || len(summary.GetErrors()) != 1 {
		t.Errorf("summary %v, want 1 of 2 written and one kind of error", summary)
	}
	got, err := b.list(t, b.lately(`metric.type="custom.googleapis.com/onceway/group_score"`))
	if err != nil || len(got) != 2 {
		t.Errorf("points %v, error %v; want one each of dg01 and dg02", got, err)
	}
}

func TestWritesThatTheServiceRefuses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := b.create(t, gauge("dg09", b.Now())); err != nil {
		t.Fatal(err)
	}
	foreign := gauge("dg01", b.Now())
	foreign.Metric.Type = "pubsub.googleapis.com/subscription/ack_message_count"
	pointless := gauge("dg01", b.Now())
	pointless.Points = nil
	many := make([]*monitoringpb.TimeSeries, 201)
	for i := range many {
		many[i] = gauge("dg01", b.Now())
	}
	for name, series := range map[string][]*monitoringpb.TimeSeries{
		"more than 200":      many,
		"none":               nil,
		"Google's metric":    {foreign},
		"no point":           {pointless},
		"the same one twice": {gauge("dg02", b.Now()), gauge("dg02", b.Now())},
		"far future":         {gauge("dg03", b.Now().Add(6*time.Minute))},
		"far past":           {gauge("dg04", b.Now().Add(-26*time.Hour))},
		"a second later":     {gauge("dg09", b.Now().Add(time.Second))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := b.create(t, series...); status.Code(err) != codes.InvalidArgument {
				t.Errorf("error %v, want InvalidArgument", err)
			}
		})
	}
}
