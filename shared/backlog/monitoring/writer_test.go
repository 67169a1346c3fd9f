package monitoring_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/timestamppb"

	"onceway.internal/shared/backlog"
	"onceway.internal/shared/backlog/monitoring"
	standin "onceway.internal/test/monitoring"
	"onceway.internal/test/monitoring/bench"
)

func (b rig) writer(t *testing.T) *monitoring.Writer {
	t.Helper()
	w, err := monitoring.NewWriter(monitoring.Given(b.Client), "demo-project", 0)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func scores(n int, at time.Time) []monitoring.Gauge {
	var all []monitoring.Gauge
	for i := range n {
		all = append(all, monitoring.Gauge{Metric: monitoring.GroupScore, Group: fmt.Sprintf("dg%03d", i), At: at, Value: float64(i)})
	}
	return all
}

func TestGaugesStandInMonitoringWithTheirLabels(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, err := b.writer(t).Write(t.Context(), []monitoring.Gauge{{
		Metric: monitoring.ExpectedBacklog, Group: "dg01", Queue: "personalizer", Subscription: "dg01-personalizer", At: bench.Noon, Value: 42,
	}})
	if err != nil {
		t.Fatal(err)
	}
	one, err := b.Client.ListTimeSeries(t.Context(), &monitoringpb.ListTimeSeriesRequest{
		Name: "projects/demo-project",
		// As an autoscaler selects it.
		Filter:   `metric.type="custom.googleapis.com/onceway/expected_backlog" AND metric.labels.subscription_id="dg01-personalizer"`,
		Interval: &monitoringpb.TimeInterval{StartTime: timestamppb.New(bench.Noon.Add(-time.Minute)), EndTime: timestamppb.New(bench.Noon)},
	}).Next()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"group": "dg01", "queue": "personalizer", "subscription_id": "dg01-personalizer"}
	if d := cmp.Diff(want, one.GetMetric().GetLabels()); d != "" || one.GetResource().GetType() != "global" ||
		one.GetPoints()[0].GetValue().GetDoubleValue() != 42 {
		t.Errorf("series %v; labels (-want +got):\n%s", one, d)
	}
}

func TestTwoHundredGaugesGoInOneRequest(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	got, err := b.writer(t).Write(t.Context(), scores(401, bench.Noon))
	if d := cmp.Diff(monitoring.Written{Points: 401, Calls: 3}, got); d != "" || err != nil || b.Calls().Create != 3 {
		t.Errorf("error %v, %d calls served (-want +got):\n%s", err, b.Calls().Create, d)
	}
}

func TestPointThatIsNotNewerIsSuccess(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	w := b.writer(t)
	if _, err := w.Write(t.Context(), scores(3, bench.Noon)); err != nil {
		t.Fatal(err)
	}
	got, err := w.Write(t.Context(), scores(5, bench.Noon)) // a second run at the same time knows two more groups
	if d := cmp.Diff(monitoring.Written{Points: 2, NotNewer: 3, Calls: 1}, got); d != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, d)
	}
}

func TestRequestRefusedAsAWholeIsAnErrorAndTheNextIsStillSent(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]codes.Code{
		"permission":       codes.PermissionDenied,
		"quota":            codes.ResourceExhausted,
		"invalid as such":  codes.InvalidArgument, // without a summary it is not about points
		"service in error": codes.Internal,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.Fail(standin.Fault{Method: standin.Create, Code: code, Times: 1})
			got, err := b.writer(t).Write(t.Context(), scores(201, bench.Noon))
			var e *backlog.Error
			if !errors.As(err, &e) || e.Code != code || e.Project != "demo-project" || e.Part != "gauges" {
				t.Errorf("error %v, want %s for demo-project", err, code)
			}
			if d := cmp.Diff(monitoring.Written{Points: 1, Calls: 2}, got); d != "" {
				t.Errorf("written (-want +got):\n%s", d)
			}
		})
	}
}
