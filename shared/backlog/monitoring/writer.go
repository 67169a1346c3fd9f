package monitoring

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/genproto/googleapis/api/metric"
	"google.golang.org/genproto/googleapis/api/monitoredres"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"onceway.internal/shared/backlog"
)

// maxSeries is how many series the service takes in one request.
const maxSeries = 200

// Writer writes gauges into one project. It is safe for concurrent use.
type Writer struct {
	dial    Dial
	project string
	timeout time.Duration
}

// NewWriter returns a Writer; it connects at the first Write. timeout bounds
// each request; 0 means 10 s.
func NewWriter(dial Dial, project string, timeout time.Duration) (*Writer, error) {
	if timeout == 0 {
		timeout = 10 * time.Second
	}
	if dial == nil || project == "" || timeout < 0 {
		return nil, errors.New("gauge writer needs a dial, a project and no negative timeout")
	}
	return &Writer{dial: dial, project: project, timeout: timeout}, nil
}

// Write sends the gauges, 200 a request, and is not stopped by a request that
// fails. Its error joins a *backlog.Error for each of those. Points that are not
// newer than their series' last are no error. Nothing is tried again: the next
// run writes newer points anyway.
func (w *Writer) Write(ctx context.Context, gauges []Gauge) (Written, error) {
	var done Written
	if len(gauges) == 0 {
		return done, nil
	}
	c, err := w.dial(ctx)
	if err != nil {
		return done, &backlog.Error{Project: w.project, Part: "gauges", Code: codes.Unavailable, Err: err}
	}
	var failed []error
	for some := range slices.Chunk(gauges, maxSeries) {
		done.Calls++
		within, cancel := context.WithTimeout(ctx, w.timeout)
		err := c.CreateTimeSeries(within, &monitoringpb.CreateTimeSeriesRequest{
			Name: "projects/" + w.project, TimeSeries: w.series(some),
		})
		cancel()
		refused, err := notNewer(err)
		if err != nil {
			failed = append(failed, &backlog.Error{
				Project: w.project, Part: "gauges", Code: codeOf(err), Err: fmt.Errorf("create time series: %w", err),
			})
			continue
		}
		done.NotNewer += refused
		done.Points += len(some) - refused
	}
	return done, errors.Join(failed...)
}

func (w *Writer) series(gauges []Gauge) []*monitoringpb.TimeSeries {
	all := make([]*monitoringpb.TimeSeries, len(gauges))
	for i, g := range gauges {
		all[i] = &monitoringpb.TimeSeries{
			Metric:     &metric.Metric{Type: g.Metric.Type(), Labels: g.labels()},
			Resource:   &monitoredres.MonitoredResource{Type: "global", Labels: map[string]string{"project_id": w.project}},
			MetricKind: metric.MetricDescriptor_GAUGE,
			ValueType:  metric.MetricDescriptor_DOUBLE,
			Points: []*monitoringpb.Point{{
				Interval: &monitoringpb.TimeInterval{EndTime: timestamppb.New(g.At)},
				Value:    &monitoringpb.TypedValue{Value: &monitoringpb.TypedValue_DoubleValue{DoubleValue: g.Value}},
			}},
		}
	}
	return all
}

// notNewer reads the service's summary of a request that it took in part: how
// many points it refused for standing where a point is already. It gives back
// every other error as it is. The service reports the order of points as an
// invalid argument or (older answers) as a failed precondition.
func notNewer(err error) (int, error) {
	if err == nil {
		return 0, nil
	}
	for _, d := range status.Convert(err).Details() {
		summary, ok := d.(*monitoringpb.CreateTimeSeriesSummary)
		if !ok {
			continue
		}
		for _, e := range summary.GetErrors() {
			if c := codes.Code(e.GetStatus().GetCode()); c != codes.InvalidArgument && c != codes.FailedPrecondition {
				return 0, err
			}
		}
		return int(summary.GetTotalPointCount() - summary.GetSuccessPointCount()), nil
	}
	return 0, err
}
