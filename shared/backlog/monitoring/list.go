package monitoring

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	client "cloud.google.com/go/monitoring/apiv3/v2"
	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// request is one listing: at most maxNames subscriptions of one project and metric.
type request struct {
	project, metric string
	names           []string
	to              time.Time
}

var errTooManyPages = errors.New("more pages than allowed")

// list reads all pages of one listing into found. What came before a failing
// page is kept: a point that was read is true.
func (r *Reader) list(ctx context.Context, c *client.MetricClient, q request, found *findings) {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Timeout)
	defer cancel()
	it := c.ListTimeSeries(ctx, &monitoringpb.ListTimeSeriesRequest{
		Name:   "projects/" + q.project,
		Filter: q.filter(),
		Interval: &monitoringpb.TimeInterval{
			StartTime: timestamppb.New(q.to.Add(-r.cfg.Window)),
			EndTime:   timestamppb.New(q.to),
		},
		View:     monitoringpb.ListTimeSeriesRequest_FULL,
		PageSize: int32(r.cfg.Page),
	})
	pages := 0
	var last *monitoringpb.ListTimeSeriesResponse
	for {
		if it.PageInfo().Remaining() == 0 && (pages == 0 || it.PageInfo().Token != "") {
			if pages == r.cfg.Pages {
				found.fail(q, fmt.Errorf("list time series: %w: %d", errTooManyPages, pages))
				return
			}
			pages++ // the iterator fetches now
			found.called()
		}
		one, err := it.Next()
		if page, ok := it.Response.(*monitoringpb.ListTimeSeriesResponse); ok && page != last {
			last = page
			for _, e := range page.GetExecutionErrors() { // the page may lack series because of them
				found.fail(q, fmt.Errorf("list time series in part: %w", status.ErrorProto(e)))
			}
		}
		if errors.Is(err, iterator.Done) {
			return
		}
		if err != nil {
			found.fail(q, fmt.Errorf("list time series: %w", err))
			return
		}
		found.add(q, one)
	}
}

// filter names the project too: a metrics scope can show the series of other
// projects, with the same subscription names.
func (q request) filter() string {
	quoted := make([]string, len(q.names))
	for i, n := range q.names {
		quoted[i] = strconv.Quote(n)
	}
	return fmt.Sprintf(`metric.type="pubsub.googleapis.com/subscription/%s" AND resource.type="pubsub_subscription"`+
		` AND project=%q AND resource.labels.subscription_id=one_of(%s)`, q.metric, q.project, strings.Join(quoted, ","))
}
