package monitoring

import (
	"strings"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/genproto/googleapis/api/metric"
	"google.golang.org/genproto/googleapis/api/monitoredres"
)

// Metric types of a subscription that the stand-in knows.
const (
	undelivered = "pubsub.googleapis.com/subscription/num_undelivered_messages"
	oldest      = "pubsub.googleapis.com/subscription/oldest_unacked_message_age"
	ackCount    = "pubsub.googleapis.com/subscription/ack_message_count"
)

// Sample asks the Source and keeps its figures as of now. Run calls it each
// period; tests with a clock of their own call it themselves. A call that finds
// no time passed since the last sample does nothing.
func (s *Server) Sample() {
	s.sampling.Lock()
	defer s.sampling.Unlock()
	now := s.cfg.Now()
	figures := s.cfg.Source()

	s.mu.Lock()
	defer s.mu.Unlock()
	if !now.After(s.sampled) {
		return
	}
	visible := now.Add(s.cfg.MinLag)
	if spread := s.cfg.MaxLag - s.cfg.MinLag; spread > 0 {
		visible = visible.Add(time.Duration(s.random.Int64N(int64(spread))))
	}
	if visible.Before(s.visible) {
		visible = s.visible
	}
	for name, f := range figures {
		if s.gaps[name] == 0 {
			s.keep(name, f, point{start: now, end: now, visible: visible})
		}
	}
	s.sampled, s.visible = now, visible
}

// keep adds one subscription's figures to its series, unless it never had a message.
func (s *Server) keep(name string, f Figures, at point) {
	project, subscription, ok := split(name)
	if !ok {
		return
	}
	before, known := s.acked[name]
	if !known && f.Undelivered == 0 && f.AckedPull == 0 && f.AckedPush == 0 {
		return
	}
	s.acked[name] = f
	gauge := func(kind string, v int64) { s.record(project, subscription, kind, nil, at, v) }
	gauge(undelivered, f.Undelivered)
	gauge(oldest, int64(f.OldestUnacked/time.Second))

	delta := at
	delta.start = s.sampled
	if s.sampled.IsZero() {
		delta.start = at.end.Add(-s.cfg.Period)
	}
	for way, n := range map[string][2]int64{
		"pull": {before.AckedPull, f.AckedPull},
		"push": {before.AckedPush, f.AckedPush},
	} {
		if n[1] > 0 { // a way of delivery that was never used has no series
			s.record(project, subscription, ackCount, map[string]string{"delivery_type": way}, delta, n[1]-n[0])
		}
	}
}

func (s *Server) record(project, subscription, metricType string, labels map[string]string, p point, v int64) {
	kind := metric.MetricDescriptor_GAUGE
	if metricType == ackCount {
		kind = metric.MetricDescriptor_DELTA
	}
	p.value = &monitoringpb.TypedValue{Value: &monitoringpb.TypedValue_Int64Value{Int64Value: v}}
	m := &metric.Metric{Type: metricType, Labels: labels}
	r := &monitoredres.MonitoredResource{
		Type:   "pubsub_subscription",
		Labels: map[string]string{"project_id": project, "subscription_id": subscription},
	}
	id := key(project, m, r)
	if s.series[id] == nil {
		s.series[id] = &series{project: project, metric: m, resource: r, kind: kind, valueType: metric.MetricDescriptor_INT64}
	}
	s.series[id].add(p, s.cfg.Keep)
}

// split reads "projects/P/subscriptions/S".
func split(name string) (project, subscription string, ok bool) {
	parts := strings.Split(name, "/")
	if len(parts) != 4 || parts[0] != "projects" || parts[2] != "subscriptions" {
		return "", "", false
	}
	return parts[1], parts[3], true
}
