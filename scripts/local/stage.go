package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"cloud.google.com/go/pubsub/v2"

	"onceway.internal/test/monitoring"
	"onceway.internal/test/witness"
)

// stage is everything that runs, before and behind onceway.
type stage struct {
	config  config
	ledger  *witness.Ledger
	counts  *witness.Deliveries
	loss    *loss
	chat    *witness.ChatAPI
	backend *backend
	host    host
	client  *pubsub.Client // the traffic's, pipeline's and witness's
	lines   []*witness.Pipeline
	score   *schedule
	ending  closers
}

// set builds the stage in the order in which its parts need each other. On an error
// the caller still closes what there is.
func set(ctx context.Context, c config, dir string, logs io.Writer, say func(string, ...any)) (*stage, error) {
	s := &stage{config: c, ledger: witness.NewLedger(time.Now), counts: witness.NewDeliveries(forEvents), loss: newLoss()}
	say("starting %s …", c.parts())
	if err := s.back(ctx); err != nil {
		return s, err
	}
	base, err := s.receivers()
	if err != nil {
		return s, err
	}
	metrics, err := s.metrics(ctx)
	if err != nil {
		return s, err
	}
	if err := c.writeFiles(dir, base+"/webhook"); err != nil {
		return s, err
	}
	if s.client, err = connect(ctx, c.project, s.backend.pubsub); err != nil {
		return s, err
	}
	s.ending.add(s.client.Close)
	p := plan{config: c, pubsub: s.backend.pubsub, hooks: base, logs: logs, say: say, env: c.environment(addresses{
		dir: dir, pubsub: s.backend.pubsub, firestore: s.backend.firestore, monitoring: metrics, witness: base,
	})}
	// Workers pull at once, so the topics come first; the push endpoints may follow.
	if err := s.provision(ctx); err != nil {
		return s, err
	}
	if c.emulators {
		s.host, err = startProcesses(ctx, p, dir)
	} else {
		s.host, err = startInProcess(ctx, p, s.counts)
	}
	if err != nil {
		return s, fmt.Errorf("start onceway: %w", err)
	}
	s.ending.add(s.host.close)
	return s, s.pipelines()
}

func (c config) parts() string {
	if c.emulators {
		return "Google's Pub/Sub and Firestore emulators"
	}
	return "Pub/Sub in memory"
}

func (s *stage) back(ctx context.Context) (err error) {
	if s.config.emulators {
		s.backend, err = startEmulators(ctx, s.config, s.counts)
	} else {
		s.backend, err = startLocal(s.config)
	}
	if err == nil {
		s.ending.add(s.backend.stop)
	}
	return err
}

// receivers serves what onceway calls: relay's service, the webhook, the Chat API.
func (s *stage) receivers() (base string, err error) {
	t := s.config.traffic
	s.chat = witness.NewChatAPI(s.ledger)
	fails := share(t.failOnce, "fail")
	// A failing webhook would park a destructive command, as it should: none fails here.
	once := func(event string) bool { return !strings.Contains(event, restarts) && fails(event) }
	mux := http.NewServeMux()
	mux.Handle("/v1/", s.chat)
	mux.Handle("/", witness.NewReceiver(s.ledger, witness.Faults{FailFirst: once, Latency: t.latency}))
	mux.Handle("/"+victim, witness.NewReceiver(s.ledger, witness.Faults{Hold: s.loss.hold, Latency: t.latency}))
	base, stop, err := listen(mux, func() {})
	if err == nil {
		s.ending.add(stop)
	}
	return base, err
}

// metrics serves the Monitoring stand-in; it samples from play on.
func (s *stage) metrics(ctx context.Context) (string, error) {
	t := s.config.times
	server, err := monitoring.New(monitoring.Config{Source: s.backend.figures(s.config), Period: t.sample, MinLag: t.minLag, MaxLag: t.maxLag})
	if err != nil {
		return "", err
	}
	addr, stop, err := server.Listen("127.0.0.1:0")
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); server.Run(ctx) }()
	s.ending.add(func() error { cancel(); <-ended; stop(); return nil })
	return addr, nil
}

// provision puts a tap before each function, so that deliveries are counted, and
// makes topics and subscriptions.
func (s *stage) provision(ctx context.Context) error {
	mux := http.NewServeMux()
	repeat := s.repeats()
	base, stop, err := listen(mux, func() {})
	if err != nil {
		return err
	}
	s.ending.add(stop)
	for _, function := range []string{"Chat", "Campaigns", "Relay", "Letters"} {
		tap, err := witness.NewPushTap(func() string { return s.host.endpoint(function) }, s.counts, repeat)
		if err != nil {
			return err
		}
		s.ending.add(func() error { tap.Close(); return nil })
		mux.Handle("/"+function, tap)
	}
	return s.config.provision(ctx, s.client, func(function string) string { return base + "/" + function })
}

// repeats says which pushes the tap repeats: only the emulator, which never does by
// itself, needs that.
func (s *stage) repeats() func(string) witness.Repeat {
	beside, after := share(s.config.traffic.redelivered/2, "beside"), share(s.config.traffic.redelivered/2, "after")
	return func(event string) witness.Repeat {
		switch {
		case !s.config.emulators || event == "":
			return witness.NoRepeat
		case beside(event):
			return witness.Beside
		case after(event):
			return witness.After
		}
		return witness.NoRepeat
	}
}

// again says which messages are published twice: on the emulator, those that are pulled.
func (s *stage) again() func(string) bool {
	drawn := share(s.config.traffic.redelivered, "again")
	return func(name string) bool {
		return s.config.emulators && strings.Contains(name, jobs) && drawn(name)
	}
}

func (s *stage) pipelines() error {
	var errs []error
	for _, g := range s.config.groups {
		var stages []witness.Stage
		for _, name := range queueNames {
			stages = append(stages, witness.Stage{Topic: s.config.topic(queue(g, name)), Subscription: s.config.sub(queue(g, name)), Rate: g.rate})
		}
		line, err := witness.NewPipeline(g.id, s.client, s.ledger, stages)
		s.lines = append(s.lines, line)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (s *stage) close() error { return s.ending.close() }
