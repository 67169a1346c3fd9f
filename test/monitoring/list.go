package monitoring

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	rpcstatus "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const maxPage = 100_000

// cursor is what a page token holds: pages of one listing see the same figures.
type cursor struct {
	Request string    // what was asked, so that a token fits no other request
	AsOf    time.Time // what was visible on the first page
	Offset  int       // points (or headers) already given
}

// ListTimeSeries answers as the service does: series in a stable order, each
// with its points newest first, cut into pages of points.
func (s *Server) ListTimeSeries(_ context.Context, r *monitoringpb.ListTimeSeriesRequest) (*monitoringpb.ListTimeSeriesResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	project, ok := strings.CutPrefix(r.GetName(), "projects/")
	f, bad := parse(r.GetFilter())
	if fault := s.enter(List, project, f.metricType); fault != nil && fault.Incomplete {
		return &monitoringpb.ListTimeSeriesResponse{ExecutionErrors: []*rpcstatus.Status{fault.status().Proto()}}, nil
	} else if fault != nil {
		return nil, fault.status().Err()
	}
	switch from, to := r.GetInterval().GetStartTime(), r.GetInterval().GetEndTime(); {
	case !ok || project == "":
		return nil, status.Errorf(codes.InvalidArgument, "name must be projects/PROJECT, not %q", r.GetName())
	case bad != nil:
		return nil, status.Errorf(codes.InvalidArgument, "invalid filter: %v", bad)
	case r.GetAggregation() != nil || r.GetSecondaryAggregation() != nil:
		return nil, status.Error(codes.Unimplemented, "this stand-in does not aggregate")
	case r.GetPageSize() < 0 || r.GetOrderBy() != "":
		return nil, status.Error(codes.InvalidArgument, "page_size is negative or order_by is set")
	case from == nil || to == nil || !from.AsTime().Before(to.AsTime()):
		return nil, status.Error(codes.InvalidArgument, "interval needs a start before its end")
	case !s.known(project, f.metricType):
		return nil, status.Errorf(codes.NotFound, "no metric of type %q", f.metricType)
	}
	at, err := s.resume(r)
	if err != nil {
		return nil, err
	}
	return s.page(r, project, f, at), nil
}

// known reports whether the metric type has a descriptor: Pub/Sub's always do.
func (s *Server) known(project, metricType string) bool {
	if metricType == undelivered || metricType == oldest || metricType == ackCount {
		return true
	}
	for _, one := range s.series {
		if s.shows(project, one) && one.metric.GetType() == metricType {
			return true
		}
	}
	return false
}

// shows reports whether a project's listing holds the series, its own or one of its metrics scope.
func (s *Server) shows(project string, one *series) bool {
	return one.project == project || slices.Contains(s.cfg.Scopes[project], one.project)
}

// resume reads the page token, or starts a listing as of now.
func (s *Server) resume(r *monitoringpb.ListTimeSeriesRequest) (cursor, error) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %v %v %v", r.GetName(), r.GetFilter(),
		r.GetInterval().GetStartTime().AsTime(), r.GetInterval().GetEndTime().AsTime(), r.GetView()))
	asked := hex.EncodeToString(sum[:8])
	if r.GetPageToken() == "" {
		return cursor{Request: asked, AsOf: s.cfg.Now()}, nil
	}
	var c cursor
	raw, err := base64.URLEncoding.DecodeString(r.GetPageToken())
	if err != nil || json.Unmarshal(raw, &c) != nil || c.Request != asked {
		return c, status.Error(codes.InvalidArgument, "page_token does not belong to this request")
	}
	return c, nil
}

// page cuts the listing at the cursor, and makes the token for the rest.
func (s *Server) page(r *monitoringpb.ListTimeSeriesRequest, project string, f filter, at cursor) *monitoringpb.ListTimeSeriesResponse {
	headers := r.GetView() == monitoringpb.ListTimeSeriesRequest_HEADERS
	rows := s.rows(r.GetInterval(), project, f, at.AsOf, headers)
	rows = rows[min(at.Offset, len(rows)):]
	size := int(r.GetPageSize())
	if size == 0 || size > maxPage {
		size = maxPage
	}
	answer := &monitoringpb.ListTimeSeriesResponse{}
	if len(rows) > size {
		rows, at.Offset = rows[:size], at.Offset+size
		raw, _ := json.Marshal(at) // its plain fields can't fail
		answer.NextPageToken = base64.URLEncoding.EncodeToString(raw)
	}
	var last *series
	for _, row := range rows {
		if row.series != last {
			answer.TimeSeries = append(answer.TimeSeries, row.series.header())
			last = row.series
		}
		if !headers {
			one := answer.TimeSeries[len(answer.TimeSeries)-1]
			one.Points = append(one.Points, row.point.proto())
		}
	}
	return answer
}

type row struct {
	series *series
	point  point
}

// rows is the whole listing: one row for each point, or for each series where only headers were asked for.
func (s *Server) rows(interval *monitoringpb.TimeInterval, project string, f filter, now time.Time, headers bool) []row {
	var rows []row
	for _, id := range slices.Sorted(maps.Keys(s.series)) {
		one := s.series[id]
		if !s.shows(project, one) || !f.matches(one) {
			continue
		}
		for _, p := range one.within(interval.GetStartTime().AsTime(), interval.GetEndTime().AsTime(), now) {
			rows = append(rows, row{one, p})
			if headers {
				break
			}
		}
	}
	return rows
}
