package monitoring_test

import (
	"testing"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"onceway.internal/test/monitoring/bench"
)

const sub = "projects/demo-project/subscriptions/dg01-personalizer"

type rig struct{ *bench.Bench }

func newBench(t *testing.T) rig {
	t.Helper()
	return rig{bench.New(t, nil)}
}

// lately asks for the last ten minutes of what a filter selects.
func (b rig) lately(filter string) *monitoringpb.ListTimeSeriesRequest {
	return &monitoringpb.ListTimeSeriesRequest{
		Name:   "projects/demo-project",
		Filter: filter,
		Interval: &monitoringpb.TimeInterval{
			StartTime: timestamppb.New(b.Now().Add(-10 * time.Minute)),
			EndTime:   timestamppb.New(b.Now()),
		},
	}
}
