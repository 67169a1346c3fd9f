package trace_test

import (
	"context"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"onceway.internal/shared/envelope"
	"onceway.internal/shared/once"
	"onceway.internal/shared/trace"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

const (
	requestTrace   = "0af7651916cd43dd8448eb211c80319c"
	publisherTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	recorded       = "-00f067aa0ba902b7-01"
	unrecorded     = "-00f067aa0ba902b7-00"
)

// collected is a stand-in for Cloud Trace.
type collected struct {
	mu     sync.Mutex
	spans  []*otlp.Span
	status int
}

func (c *collected) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var req collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &req)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rs := range req.ResourceSpans {
		for _, ss := range rs.ScopeSpans {
			c.spans = append(c.spans, ss.Spans...)
		}
	}
	w.WriteHeader(c.status)
}

func (c *collected) all() []*otlp.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spans
}

type handler struct{ outcome once.Outcome }

func (handler) Name() string { return "relay" }
func (h handler) Receive(context.Context, *envelope.Message) once.Report {
	return once.Report{Handler: "relay", Outcome: h.outcome, State: "DONE", Epoch: 2, Attempt: 1}
}

// deliver pushes one message through a Tracer and answers with what was collected when
// the push had its answer.
func deliver(t *testing.T, c *collected, outcome once.Outcome, request string, attributes map[string]string) []*otlp.Span {
	t.Helper()
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	tr, err := trace.New(t.Context(), trace.Config{
		Project: "demo-project", Service: "onceway-relay", Endpoint: server.URL + "/v1/traces", HTTP: client, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	rc := tr.Receiver(handler{outcome})
	push := tr.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		rc.Receive(r.Context(), &envelope.Message{ID: "1", Attributes: attributes})
	}))
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)
	if request != "" {
		req.Header.Set("traceparent", "00-"+request)
	}
	push.ServeHTTP(httptest.NewRecorder(), req)
	spans := c.all()
	if err := tr.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
	return spans
}

func TestSpanHasItsParentAndOutcomeBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		request    string
		attributes map[string]string
		trace      string // "" is no span
		links      int
	}{
		"request alone":                    {requestTrace + recorded, nil, requestTrace, 0},
		"publisher by Google's client":     {requestTrace + recorded, map[string]string{"googclient_traceparent": "00-" + publisherTrace + recorded}, publisherTrace, 1},
		"publisher by the plain attribute": {"", map[string]string{"traceparent": "00-" + publisherTrace + recorded}, publisherTrace, 0},
		"only the request is recorded":     {requestTrace + recorded, map[string]string{"traceparent": "00-" + publisherTrace + unrecorded}, requestTrace, 1},
		"only the publisher is recorded":   {requestTrace + unrecorded, map[string]string{"traceparent": "00-" + publisherTrace + recorded}, publisherTrace, 1},
		"neither is recorded":              {requestTrace + unrecorded, nil, "", 0},
		"no trace at all":                  {"", nil, "", 0},
		"a broken attribute":               {requestTrace + recorded, map[string]string{"traceparent": "zz"}, requestTrace, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spans := deliver(t, &collected{status: http.StatusOK}, once.Done, x.request, x.attributes)
			if x.trace == "" {
				if len(spans) > 0 {
					t.Errorf("sent %v", spans)
				}
				return
			}
			if len(spans) != 1 {
				t.Fatalf("%d spans", len(spans))
			}
			s := spans[0]
			if got := hex.EncodeToString(s.TraceId); got != x.trace || len(s.Links) != x.links || len(s.ParentSpanId) == 0 {
				t.Errorf("trace %s with %d links, want %s with %d", got, len(s.Links), x.trace, x.links)
			}
			if got := text(s, "onceway.outcome"); got != "done" || s.Name != "deliver relay" {
				t.Errorf("span %q says %q", s.Name, got)
			}
		})
	}
}

func text(s *otlp.Span, name string) string {
	for _, a := range s.Attributes {
		if a.Key == name {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

func TestOutcomeThatComesAgainIsAnError(t *testing.T) {
	t.Parallel()
	spans := deliver(t, &collected{status: http.StatusOK}, once.StoreDown, requestTrace+recorded, nil)
	if len(spans) != 1 || spans[0].Status.GetCode() != otlp.Status_STATUS_CODE_ERROR {
		t.Errorf("spans %v", spans)
	}
}

func TestDeliveryDoesNotDependOnCloudTrace(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	deliver(t, &collected{status: http.StatusServiceUnavailable}, once.Done, requestTrace+recorded, nil)
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestNoTracerIsOff(t *testing.T) {
	t.Parallel()
	var off *trace.Tracer
	if rc := off.Receiver(handler{once.Done}); rc != (handler{once.Done}) {
		t.Error("the receiver is wrapped")
	}
	if err := off.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
