package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"syscall"
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

var errPart = errors.New("a run of Score did only a part")

// turn runs Score once a minute of its world. Only the runs count, not the stand-in's
// sampling between them. What they took is processor time: nothing in a run waits for
// another machine, and on a busy one long runs are interrupted more than short ones.
// Latency is by the clock.
func (s *site) turn(ctx context.Context, length time.Duration) (round, error) {
	var r round
	for began := time.Now(); time.Since(began) < length || r.Count == 0; {
		s.minute(ctx)
		before, used, at := mallocs(), processorTime(), time.Now()
		sum, err := s.handler.Run(ctx)
		took := time.Since(at)
		r.Took += processorTime() - used
		if err != nil {
			return r, err
		}
		if sum.Fresh != s.queues || sum.Gauges.Written != 2*s.groups+s.queues || len(sum.Errors) > 0 {
			return r, fmt.Errorf("%w: %+v", errPart, sum)
		}
		r.Count++
		r.Allocs += mallocs() - before
		r.Latency = append(r.Latency, took)
		s.runs++
		s.called += int(s.monitoring.served.Load()) + sum.Calls.State
	}
	return r, nil
}

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// calls compares a run's calls with what is documented: for a project and each of three
// metrics one for a hundred subscriptions, for 200 gauges one (two for each group and
// one for each queue), and four of the state.
func (s *site) calls(name string) figure {
	lists, writes := 3*up(s.queues, 100), up(2*s.groups+s.queues, 200)
	documented := s.runs * (lists + writes + 4)
	return figure{
		Name: name, Ratio: float64(s.called) / float64(documented), Goal: 1, Most: true,
		Says: fmt.Sprintf("calls over what is documented: %d over %d in %d runs, in each %d lists, %d writes and 4 of the state",
			s.called, documented, s.runs, lists, writes),
	}
}

// up is n over by, rounded up.
func up(n, by int) int { return (n + by - 1) / by }
