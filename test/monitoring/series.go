package monitoring

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/genproto/googleapis/api/metric"
	"google.golang.org/genproto/googleapis/api/monitoredres"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// series is one time series; its points stand oldest first.
type series struct {
	project   string
	metric    *metric.Metric
	resource  *monitoredres.MonitoredResource
	kind      metric.MetricDescriptor_MetricKind
	valueType metric.MetricDescriptor_ValueType
	points    []point
}

type point struct {
	start, end time.Time
	visible    time.Time // readers don't get it earlier
	value      *monitoringpb.TypedValue
}

func (p point) proto() *monitoringpb.Point {
	return &monitoringpb.Point{
		Interval: &monitoringpb.TimeInterval{StartTime: timestamppb.New(p.start), EndTime: timestamppb.New(p.end)},
		Value:    p.value,
	}
}

// key identifies a series: everything but its points.
func key(project string, m *metric.Metric, r *monitoredres.MonitoredResource) string {
	return fmt.Sprintf("%s %s{%s} %s{%s}", project, r.GetType(), labels(r.GetLabels()), m.GetType(), labels(m.GetLabels()))
}

func labels(m map[string]string) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, k+":"+m[k])
	}
	return strings.Join(parts, ",")
}

// header is the series without points.
func (s *series) header() *monitoringpb.TimeSeries {
	return &monitoringpb.TimeSeries{Metric: s.metric, Resource: s.resource, MetricKind: s.kind, ValueType: s.valueType}
}

// within returns the points with an end in (from, to] that are visible at now, newest first.
func (s *series) within(from, to, now time.Time) []point {
	var found []point
	for _, p := range slices.Backward(s.points) {
		if p.end.After(from) && !p.end.After(to) && !p.visible.After(now) {
			found = append(found, p)
		}
	}
	return found
}

// add appends p and forgets the oldest points beyond keep.
func (s *series) add(p point, keep int) {
	s.points = append(s.points, p)
	if len(s.points) > keep {
		s.points = slices.Delete(s.points, 0, len(s.points)-keep)
	}
}
