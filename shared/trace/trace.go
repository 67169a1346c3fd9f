package trace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Endpoint is Google's own.
const Endpoint = "https://telemetry.googleapis.com/v1/traces"

// Scope is what the HTTP client's token has to cover.
const Scope = "https://www.googleapis.com/auth/trace.append"

// flushing bounds what a delivery waits for its span to be sent.
const flushing = time.Second

// Config is what a Tracer works with.
type Config struct {
	Project  string
	Service  string // as Cloud Run names it
	Endpoint string // empty is Google's
	// HTTP sends spans; it adds the credentials.
	HTTP *http.Client
	Log  *slog.Logger
}

// Tracer makes spans. A nil one is off: what it wraps stays as it is. Safe for
// concurrent use.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	log      *slog.Logger
}

// New returns a Tracer. It connects to nothing before the first recorded span.
func New(ctx context.Context, c Config) (*Tracer, error) {
	if c.Project == "" || c.Service == "" || c.HTTP == nil || c.Log == nil {
		return nil, errors.New("new tracer: needs a project, a service, an HTTP client and a log")
	}
	if c.Endpoint == "" {
		c.Endpoint = Endpoint
	}
	exporter, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpointURL(c.Endpoint), otlptracehttp.WithHTTPClient(c.HTTP),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: false}))
	if err != nil {
		return nil, fmt.Errorf("make trace exporter: %w", err)
	}
	provider := sdk.NewTracerProvider(
		sdk.WithBatcher(exporter, sdk.WithExportTimeout(flushing)),
		sdk.WithSampler(sdk.ParentBased(sdk.NeverSample())),
		sdk.WithResource(resource.NewSchemaless(
			attribute.String("service.name", c.Service), attribute.String("gcp.project_id", c.Project))))
	return &Tracer{provider: provider, tracer: provider.Tracer("onceway"), log: c.Log}, nil
}

// Close sends what is left and stops. Use nothing of it afterwards.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("close tracer: %w", err)
	}
	return nil
}

// w3c reads and writes traceparent and tracestate.
var w3c = propagation.TraceContext{}

// Handler puts a request's trace where Receiver finds it.
func (t *Tracer) Handler(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(w3c.Extract(r.Context(), propagation.HeaderCarrier(r.Header))))
	})
}
