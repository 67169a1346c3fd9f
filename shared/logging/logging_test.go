package logging_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"onceway.internal/shared/logging"
)

const (
	traceID = "105445aa7843bc8bf206b12000100000"
	full    = "projects/demo-project/traces/" + traceID
	parent  = "00-" + traceID + "-00f067aa0ba902b7-01"
)

// line logs by way of do and reads the one line back, without its time.
func line(t *testing.T, project string, do func(*slog.Logger)) map[string]any {
	t.Helper()
	var buf bytes.Buffer
	do(logging.New(&buf, project))
	if n := bytes.Count(buf.Bytes(), []byte("\n")); n != 1 {
		t.Fatalf("%d lines: %s", n, &buf)
	}
	var got map[string]any
	if err := json.Unmarshal(buf.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	at, _ := got["time"].(string)
	if _, err := time.Parse(time.RFC3339Nano, at); err != nil {
		t.Errorf("time %q: %v", at, err)
	}
	delete(got, "time")
	return got
}

func TestLinesHaveCloudLoggingsForm(t *testing.T) {
	t.Parallel()
	for severity, level := range map[string]slog.Level{
		"INFO": slog.LevelInfo, "WARNING": slog.LevelWarn, "ERROR": slog.LevelError, "CRITICAL": slog.LevelError + 4,
	} {
		got := line(t, "", func(l *slog.Logger) {
			l.Log(t.Context(), level, "claim taken", slog.Int("epoch", 2), slog.Any("err", errors.New("store is down")), logging.Labels("handler", "relay", "outcome", "done"))
		})
		want := map[string]any{
			"severity": severity, "message": "claim taken", "epoch": 2.0, "err": "store is down",
			"logging.googleapis.com/labels": map[string]any{"handler": "relay", "outcome": "done"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("line (-want +got):\n%s", diff)
		}
	}
}

func TestTraceIsFoundInEitherHeader(t *testing.T) {
	t.Parallel()
	type want struct {
		trace, span string
		sampled     bool
	}
	for name, tc := range map[string]struct {
		header, value string
		want          want
	}{
		"w3c":                {"traceparent", parent, want{full, "00f067aa0ba902b7", true}},
		"w3c, later version": {"traceparent", "cc-" + traceID + "-00f067aa0ba902b7-00-more", want{full, "00f067aa0ba902b7", false}},
		"w3c, extra field":   {"traceparent", parent + "-more", want{}},
		"w3c, no trace":      {"traceparent", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", want{}},
		"w3c, no span":       {"traceparent", "00-" + traceID + "-0000000000000000-01", want{}},
		"w3c, forbidden":     {"traceparent", "ff-" + traceID + "-00f067aa0ba902b7-01", want{}},
		"cloud":              {"X-Cloud-Trace-Context", traceID + "/255;o=1", want{full, "00000000000000ff", true}},
		"cloud, bare":        {"X-Cloud-Trace-Context", traceID, want{full, "", false}},
		"cloud, span zero":   {"X-Cloud-Trace-Context", traceID + "/0;o=0", want{full, "", false}},
		"cloud, injection":   {"X-Cloud-Trace-Context", `"},"severity":"x/1`, want{}},
		"none":               {"Accept", "x", want{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := logging.WithTrace(t.Context(), http.Header{http.CanonicalHeaderKey(tc.header): {tc.value}})
			got := line(t, "demo-project", func(l *slog.Logger) { l.InfoContext(ctx, "x") })
			var seen want
			seen.trace, _ = got["logging.googleapis.com/trace"].(string)
			seen.span, _ = got["logging.googleapis.com/spanId"].(string)
			seen.sampled, _ = got["logging.googleapis.com/trace_sampled"].(bool)
			if diff := cmp.Diff(tc.want, seen, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("trace (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTraceStandsOutsideGroups(t *testing.T) {
	t.Parallel()
	ctx := logging.WithTrace(t.Context(), http.Header{"Traceparent": {parent}})
	base := func(l *slog.Logger) *slog.Logger { return l.With("a", 1).WithGroup("g").With("b", 2) }
	got := line(t, "demo-project", func(l *slog.Logger) {
		shared := base(l)
		own := shared.With("own", 3)
		shared.With("unseen", 0) // a sibling must not leak into the other
		own.InfoContext(ctx, "x", "message", "inner")
	})
	want := map[string]any{
		"severity": "INFO", "message": "x", "a": 1.0,
		"g":                            map[string]any{"b": 2.0, "own": 3.0, "message": "inner"},
		"logging.googleapis.com/trace": full, "logging.googleapis.com/spanId": "00f067aa0ba902b7",
		"logging.googleapis.com/trace_sampled": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
}

func TestDebugIsNotWritten(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	logging.New(&buf, "").Debug("x")
	if buf.Len() > 0 {
		t.Errorf("wrote %s", &buf)
	}
}
