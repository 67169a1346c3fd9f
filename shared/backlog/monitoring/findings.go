package monitoring

import (
	"context"
	"errors"
	"sync"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"onceway.internal/shared/backlog"
)

// findings collects what parallel listings bring.
type findings struct {
	mu     sync.Mutex
	points map[place]points
	errs   []*backlog.Error
	calls  int
}

// place is one metric of one subscription.
type place struct{ project, subscription, metric string }

// points are values by the end of the time that they cover.
type points map[time.Time]span

// span is a point's value over (from, its end]; a gauge covers no time.
type span struct {
	from  time.Time
	value int64
}

func (f *findings) add(q request, one *monitoringpb.TimeSeries) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := place{q.project, one.GetResource().GetLabels()["subscription_id"], q.metric}
	if f.points[at] == nil {
		f.points[at] = points{}
	}
	for _, p := range one.GetPoints() {
		to := p.GetInterval().GetEndTime().AsTime()
		f.points[at][to] = span{
			from:  p.GetInterval().GetStartTime().AsTime(),
			value: f.points[at][to].value + p.GetValue().GetInt64Value(),
		}
	}
}

func (f *findings) called() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
}

func (f *findings) fail(q request, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errs = append(f.errs, &backlog.Error{Project: q.project, Part: q.metric, Code: codeOf(err), Hides: q.metric == undelivered, Err: err})
}

// codeOf finds the code behind what the client library wrapped around it: a
// context that ended stands there without one.
func codeOf(err error) codes.Code {
	if c := status.Code(err); c != codes.Unknown {
		return c
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return codes.DeadlineExceeded
	}
	if errors.Is(err, context.Canceled) {
		return codes.Canceled
	}
	return codes.Unknown
}
