package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	client "cloud.google.com/go/monitoring/apiv3/v2"

	scoring "onceway.internal/functions/score"
	"onceway.internal/shared/backlog"
	"onceway.internal/shared/backlog/monitoring"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/groups/memgroups"
	"onceway.internal/shared/route/memroute"
	standin "onceway.internal/test/monitoring"
)

// queuesOfGroup is how many queues a group of this bench has.
const queuesOfGroup = 5

// site is Score over so many queues, in a world of its own whose clock it moves.
type site struct {
	queues, groups int
	all            []backlog.Queue
	monitoring     *prepared
	client         *client.MetricClient
	reader         *monitoring.Reader
	handler        *scoring.Handler

	mu  sync.Mutex
	now time.Time

	runs, called int
}

func openSite(ctx context.Context, queues int) (*site, error) {
	s := &site{queues: queues, groups: queues / queuesOfGroup, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	figures, err := standin.New(standin.Config{Now: s.clock, Source: s.figures, Keep: 30})
	if err != nil {
		return nil, err
	}
	if s.monitoring, err = prepare(figures); err != nil {
		return nil, err
	}
	if s.client, err = client.NewMetricClient(ctx, standin.Options(s.monitoring.addr)...); err != nil {
		s.monitoring.stop()
		return nil, err
	}
	if s.handler, err = s.score(); err != nil {
		s.close()
		return nil, err
	}
	for range 10 { // as many points as a run asks for
		s.minute(ctx)
	}
	return s, nil
}

func (s *site) score() (*scoring.Handler, error) {
	var err error
	if s.reader, err = monitoring.NewReader(monitoring.Config{Dial: monitoring.Given(s.client), Now: s.clock}); err != nil {
		return nil, err
	}
	writer, err := monitoring.NewWriter(monitoring.Given(s.client), project, 0)
	if err != nil {
		return nil, err
	}
	state, err := memroute.New(memgroups.New(s.clock), s.clock)
	if err != nil {
		return nil, err
	}
	return scoring.New(scoring.Config{
		Groups: s.config(), Source: s.reader, Gauges: writer, Store: state, Log: slog.New(slog.DiscardHandler), Period: time.Minute, Now: s.clock,
	})
}

func (s *site) config() groups.Config {
	c := groups.Config{Default: groupID(0)}
	for i := range s.groups {
		g := groups.Group{ID: groupID(i)}
		for k := range queuesOfGroup {
			s.all = append(s.all, backlog.Queue{Group: g.ID, Name: fmt.Sprint("q", k), Project: project, Subscription: queueID(i, k)})
			g.Queues = append(g.Queues, groups.Queue{
				Name: fmt.Sprint("q", k), Topic: queueID(i, k), Subscription: queueID(i, k), Project: project, Rate: 100, Fanout: 1,
			})
		}
		c.Groups = append(c.Groups, g)
	}
	return c
}

func groupID(i int) string    { return fmt.Sprintf("dg%03d", i+1) }
func queueID(i, k int) string { return fmt.Sprintf("%s-q%d", groupID(i), k) }

// figures are the truth: every queue has work, and works.
func (s *site) figures() map[string]standin.Figures {
	acked := s.clock().Unix() % 1e6
	all := make(map[string]standin.Figures, s.queues)
	for i := range s.groups {
		for k := range queuesOfGroup {
			all["projects/"+project+"/subscriptions/"+queueID(i, k)] = standin.Figures{Undelivered: int64(500 + i), OldestUnacked: time.Minute, AckedPull: acked}
		}
	}
	return all
}

func (s *site) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// minute lets one pass, and has the stand-in make its answers, which takes it longer
// the more series it has: a run gets them at once.
func (s *site) minute(ctx context.Context) {
	s.monitoring.Sample()
	s.mu.Lock()
	s.now = s.now.Add(time.Minute)
	s.mu.Unlock()
	s.monitoring.forget()
	s.reader.Read(ctx, s.all)
	s.monitoring.served.Store(0)
}

func (s *site) close() {
	_ = s.client.Close() // nothing is under way
	s.monitoring.stop()
}
