package monitoring

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/genproto/googleapis/api/metric"
	"google.golang.org/genproto/googleapis/api/monitoredres"
	rpcstatus "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

// maxCreate is how many series one CreateTimeSeries takes.
const maxCreate = 200

// CreateTimeSeries keeps what it can and refuses the rest series by series: the
// error then names each refused series in its message and counts them in a
// CreateTimeSeriesSummary among its details.
func (s *Server) CreateTimeSeries(_ context.Context, r *monitoringpb.CreateTimeSeriesRequest) (*emptypb.Empty, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	project, ok := strings.CutPrefix(r.GetName(), "projects/")
	if fault := s.enter(Create, project, ""); fault != nil {
		return nil, fault.status().Err()
	}
	if !ok || project == "" {
		return nil, status.Errorf(codes.InvalidArgument, "name must be projects/PROJECT, not %q", r.GetName())
	}
	if n := len(r.GetTimeSeries()); n == 0 || n > maxCreate {
		return nil, status.Errorf(codes.InvalidArgument, "a request writes 1 to %d time series, not %d", maxCreate, n)
	}
	var refused []string
	for i, one := range r.GetTimeSeries() {
		if why := s.write(project, one); why != "" {
			refused = append(refused, fmt.Sprintf("timeSeries[%d] (metric.type=%q): %s", i, one.GetMetric().GetType(), why))
		}
	}
	s.calls.Written += len(r.GetTimeSeries()) - len(refused)
	if len(refused) == 0 {
		return &emptypb.Empty{}, nil
	}
	return nil, refusal(len(r.GetTimeSeries()), refused)
}

func refusal(total int, refused []string) error {
	st, err := status.New(codes.InvalidArgument, "One or more TimeSeries could not be written: "+strings.Join(refused, "; ")).
		WithDetails(&monitoringpb.CreateTimeSeriesSummary{
			TotalPointCount:   int32(total),
			SuccessPointCount: int32(total - len(refused)),
			Errors: []*monitoringpb.CreateTimeSeriesSummary_Error{{
				Status:     &rpcstatus.Status{Code: int32(codes.InvalidArgument)},
				PointCount: int32(len(refused)),
			}},
		})
	if err != nil {
		return status.Errorf(codes.Internal, "describe refusal: %v", err)
	}
	return st.Err()
}

// write keeps the one point of a series, or says why not.
func (s *Server) write(project string, one *monitoringpb.TimeSeries) (refused string) {
	now := s.cfg.Now()
	if why := unsound(one, now); why != "" {
		return why
	}
	p := one.GetPoints()[0]
	end := p.GetInterval().GetEndTime().AsTime()
	resource := placed(project, one.GetResource())
	id := key(project, one.GetMetric(), resource)
	kept := s.series[id]
	if kept == nil {
		kept = &series{project: project, metric: one.GetMetric(), resource: resource,
			kind: metric.MetricDescriptor_GAUGE, valueType: typeOf(p.GetValue())}
		s.series[id] = kept
	} else if last := kept.points[len(kept.points)-1].end; !end.After(last) {
		return "Points must be written in order: one or more of them had an older end time than the most recent point"
	} else if end.Sub(last) < s.cfg.Spacing {
		return "points were written more frequently than the maximum sampling period of the metric"
	}
	kept.add(point{start: end, end: end, visible: now, value: p.GetValue()}, s.cfg.Keep)
	return ""
}

// unsound says what is wrong with a series whatever was written before.
func unsound(one *monitoringpb.TimeSeries, now time.Time) string {
	if !strings.HasPrefix(one.GetMetric().GetType(), "custom.googleapis.com/") {
		return "only custom metrics can be written"
	}
	if len(one.GetPoints()) != 1 {
		return "exactly one point per time series is written by a request"
	}
	if k := one.GetMetricKind(); k != metric.MetricDescriptor_GAUGE && k != metric.MetricDescriptor_METRIC_KIND_UNSPECIFIED {
		return "this stand-in takes gauges only"
	}
	p := one.GetPoints()[0]
	if p.GetValue().GetValue() == nil || p.GetInterval().GetEndTime() == nil {
		return "a point needs a value and an end time"
	}
	end := p.GetInterval().GetEndTime().AsTime()
	if start := p.GetInterval().GetStartTime(); start != nil && !start.AsTime().Equal(end) {
		return "the interval of a gauge starts when it ends"
	}
	if end.Before(now.Add(-25*time.Hour)) || end.After(now.Add(5*time.Minute)) {
		return "the end time is too far in the past or the future"
	}
	return ""
}

// placed fills in the project label, as the service does where it is left out.
func placed(project string, r *monitoredres.MonitoredResource) *monitoredres.MonitoredResource {
	filled := map[string]string{"project_id": project}
	maps.Copy(filled, r.GetLabels())
	kind := r.GetType()
	if kind == "" {
		kind = "global"
	}
	return &monitoredres.MonitoredResource{Type: kind, Labels: filled}
}

func typeOf(v *monitoringpb.TypedValue) metric.MetricDescriptor_ValueType {
	if _, ok := v.GetValue().(*monitoringpb.TypedValue_Int64Value); ok {
		return metric.MetricDescriptor_INT64
	}
	return metric.MetricDescriptor_DOUBLE
}
