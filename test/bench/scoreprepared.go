package main

import (
	"context"
	"net"
	"sync"
	"sync/atomic"

	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	standin "onceway.internal/test/monitoring"
)

// prepared is the stand-in for Cloud Monitoring, but an answer that it gave before is
// given again until forget.
type prepared struct {
	*standin.Server
	addr   string
	stop   func()
	served atomic.Int64 // calls

	mu      sync.Mutex
	answers map[string]*monitoringpb.ListTimeSeriesResponse
}

func prepare(s *standin.Server) (*prepared, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &prepared{Server: s, addr: l.Addr().String(), answers: map[string]*monitoringpb.ListTimeSeriesResponse{}}
	server := grpc.NewServer()
	monitoringpb.RegisterMetricServiceServer(server, p)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // ends with stop
	}()
	p.stop = func() { server.Stop(); <-done }
	return p, nil
}

func (p *prepared) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.answers)
}

// ListTimeSeries implements the service.
func (p *prepared) ListTimeSeries(ctx context.Context, r *monitoringpb.ListTimeSeriesRequest) (*monitoringpb.ListTimeSeriesResponse, error) {
	p.served.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := r.String()
	if a := p.answers[asked]; a != nil {
		return a, nil
	}
	a, err := p.Server.ListTimeSeries(ctx, r)
	if err == nil {
		p.answers[asked] = a
	}
	return a, err
}

// CreateTimeSeries implements the service.
func (p *prepared) CreateTimeSeries(ctx context.Context, r *monitoringpb.CreateTimeSeriesRequest) (*emptypb.Empty, error) {
	p.served.Add(1)
	return p.Server.CreateTimeSeries(ctx, r)
}
