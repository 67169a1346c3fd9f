package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"onceway.internal/shared/envelope"
	"onceway.internal/shared/once"
)

// meters are what the worker shows of itself: /metrics, /healthz and /readyz.
type meters struct {
	registry *prometheus.Registry
	handled  *prometheus.CounterVec
	inFlight *prometheus.GaugeVec
	claim    *prometheus.HistogramVec
	handler  *prometheus.HistogramVec
	pulling  []atomic.Bool // whether Pub/Sub answers, by subscription
}

func newMeters(subscriptions int) *meters {
	latency := prometheus.ExponentialBuckets(0.001, 2.5, 15) // 1 ms to 6 min
	m := &meters{
		registry: prometheus.NewRegistry(),
		pulling:  make([]atomic.Bool, subscriptions),
		handled:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "onceway_deliveries_total", Help: "Deliveries by handler and outcome: done, duplicate, parked, …"}, []string{"handler", "outcome"}),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "onceway_in_flight", Help: "Deliveries in work."}, []string{"handler"}),
		claim:    prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "onceway_claim_seconds", Help: "Until a delivery's claim was held or refused.", Buckets: latency}, []string{"handler"}),
		handler:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "onceway_handler_seconds", Help: "In the handler, where it ran.", Buckets: latency}, []string{"handler"}),
	}
	m.registry.MustRegister(m.handled, m.inFlight, m.claim, m.handler,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// observe is told of every delivery under a claim.
func (m *meters) observe(r once.Report) {
	m.claim.WithLabelValues(r.Handler).Observe(r.Claim.Seconds())
	if r.Handled > 0 {
		m.handler.WithLabelValues(r.Handler).Observe(r.Handled.Seconds())
	}
}

// count counts a receiver's deliveries, whether they run under a claim or not.
func (m *meters) count(rc once.Receiver) once.Receiver { return counted{rc, m} }

type counted struct {
	once.Receiver
	m *meters
}

func (c counted) Receive(ctx context.Context, msg *envelope.Message) once.Report {
	g := c.m.inFlight.WithLabelValues(c.Name())
	g.Inc()
	defer g.Dec()
	rep := c.Receiver.Receive(ctx, msg)
	c.m.handled.WithLabelValues(rep.Handler, string(rep.Outcome)).Inc()
	return rep
}

// reached is told whether Pub/Sub answers for one of the subscriptions.
func (m *meters) reached(subscription int) func(yes bool) { return m.pulling[subscription].Store }

// ready says that every subscription is pulled.
func (m *meters) ready() bool {
	for i := range m.pulling {
		if !m.pulling[i].Load() {
			return false
		}
	}
	return true
}

// serve answers until ctx ends; then probes are refused while deliveries end.
func (m *meters) serve(ctx context.Context, addr string, log *slog.Logger) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !m.ready() {
			http.Error(w, "not pulling: the claim store or Pub/Sub does not answer", http.StatusServiceUnavailable)
		}
	})
	srv := &http.Server{
		Addr: addr, Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	defer context.AfterFunc(ctx, func() { srv.Close() })()
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
