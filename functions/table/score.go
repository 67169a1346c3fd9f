package table

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	client "cloud.google.com/go/monitoring/apiv3/v2"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/functions/score"
	"onceway.internal/shared/backlog"
	"onceway.internal/shared/backlog/counters"
	"onceway.internal/shared/backlog/counters/rediscounters"
	"onceway.internal/shared/backlog/monitoring"
	"onceway.internal/shared/claim/redisclaim"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
	"onceway.internal/shared/setting"
)

// Sources of backlogs.
const (
	fromMonitoring = "monitoring"
	fromCounters   = "counters"
)

// checkRouting checks what whoever knows the groups needs: Score, Assign, Campaigns.
func checkRouting(c setting.Config, f *setting.Faults) {
	c.CheckState(f)
	r := c.Routing
	f.Add(r.Period <= 0, "ONCEWAY_SCORE_PERIOD", "%v is not positive", r.Period)
	f.Add(!slices.Contains([]string{fromMonitoring, fromCounters}, r.Source), "ONCEWAY_BACKLOG_SOURCE", "%q is none of monitoring, counters", r.Source)
	f.Add(r.Source == fromCounters && c.Store.Redis == "", "ONCEWAY_REDIS_URL", "is needed with ONCEWAY_BACKLOG_SOURCE=counters")
	f.Add(!slices.Contains(route.Policies(), route.Policy(r.Policy)), "ONCEWAY_ROUTE_POLICY", "%q is none of %v", r.Policy, route.Policies())
	f.Add(!slices.Contains(route.Modes(), route.Mode(r.Mode)), "ONCEWAY_SCORE_MODE", "%q is none of %v", r.Mode, route.Modes())
	if _, err := groups.Load(r.Groups); err != nil {
		f.Add(true, "ONCEWAY_GROUPS", "%v", err)
	}
}

func newScore(ctx context.Context, a *App) (http.Handler, error) {
	g, err := a.Groups(ctx)
	if err != nil {
		return nil, err
	}
	state, err := a.State(ctx)
	if err != nil {
		return nil, err
	}
	dial := monitoring.Lazy(a.dialMonitoring)
	source, err := a.source(dial)
	if err != nil {
		return nil, err
	}
	gauges, err := monitoring.NewWriter(dial, a.Config.Process.Project, 0)
	if err != nil {
		return nil, err
	}
	return score.New(score.Config{
		Groups: g, Source: source, Store: state, Gauges: gauges, Log: a.Log,
		Period: a.Config.Routing.Period, Timeout: min(50*time.Second, 5*a.Config.Routing.Period),
	})
}

// source is Cloud Monitoring, or counters that it corrects.
func (a *App) source(dial monitoring.Dial) (backlog.Source, error) {
	reader, err := monitoring.NewReader(monitoring.Config{Dial: dial})
	if err != nil || a.Config.Routing.Source == fromMonitoring {
		return reader, err
	}
	store, err := a.counterStore()
	if err != nil {
		return nil, err
	}
	return counters.NewReconciled(store, reader, a.counted())
}

// counterStore is where live counters stand.
func (a *App) counterStore() (counters.Store, error) {
	client, err := redisclaim.Open(a.Config.Store.Redis.Reveal())
	if err != nil {
		return nil, fmt.Errorf("ONCEWAY_REDIS_URL: %w", err)
	}
	return rediscounters.New(client)
}

// counted says which queues workers keep counters for; nil is all.
func (a *App) counted() func(backlog.Queue) bool {
	names := a.Config.Routing.Counted
	if len(names) == 0 {
		return nil
	}
	return func(q backlog.Queue) bool { return slices.Contains(names, counters.Name(q)) }
}

func (a *App) dialMonitoring(ctx context.Context) (*client.MetricClient, error) {
	var opts []option.ClientOption
	if addr := a.Config.Routing.Monitoring; addr != "" {
		opts = append(opts, option.WithEndpoint(addr), option.WithoutAuthentication(),
			option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	}
	return client.NewMetricClient(context.WithoutCancel(ctx), opts...)
}

// Backlogs reads backlogs from Cloud Monitoring.
func (a *App) Backlogs() (backlog.Source, error) {
	return monitoring.NewReader(monitoring.Config{Dial: monitoring.Lazy(a.dialMonitoring)})
}
