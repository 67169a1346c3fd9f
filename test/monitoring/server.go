package monitoring

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/grpc"
)

// Server is the stand-in. Its methods may be called from any goroutine.
type Server struct {
	monitoringpb.UnimplementedMetricServiceServer

	cfg Config

	sampling sync.Mutex // held for a whole sample: Source is never called twice at once

	mu      sync.Mutex
	random  *rand.Rand
	series  map[string]*series // by key
	acked   map[string]Figures // counts at the last sample, by subscription
	sampled time.Time          // the last sample
	visible time.Time          // when that becomes visible
	gaps    map[string]int     // subscriptions whose samples are lost, and how often that was asked for
	faults  []*Fault
	calls   Calls
}

// New makes a Server that has taken no sample yet.
func New(cfg Config) (*Server, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, fmt.Errorf("configure monitoring stand-in: %w", err)
	}
	return &Server{
		cfg:    cfg,
		random: rand.New(rand.NewPCG(1, 2)), // the same lags in every run
		series: map[string]*series{},
		acked:  map[string]Figures{},
		gaps:   map[string]int{},
	}, nil
}

// Listen serves on a loopback address until stop is called; port 0 picks a free
// one. stop ends calls that are under way and returns when the server is down.
func (s *Server) Listen(address string) (bound string, stop func(), err error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return "", nil, fmt.Errorf("listen for monitoring stand-in: %w", err)
	}
	server := grpc.NewServer()
	monitoringpb.RegisterMetricServiceServer(server, s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // ends with stop; a failing listener shows in the callers' errors
	}()
	return l.Addr().String(), func() { server.Stop(); <-done }, nil
}

// Run takes a sample at once and then each period, until ctx ends.
func (s *Server) Run(ctx context.Context) {
	tick := time.NewTicker(s.cfg.Period)
	defer tick.Stop()
	for {
		s.Sample()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
