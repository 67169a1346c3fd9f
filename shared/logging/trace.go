package logging

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
)

type traceInContext struct{}

// trace is what a request says about the trace it belongs to.
type trace struct {
	id      string // 32 hex digits
	span    string // 16 hex digits, or empty
	sampled bool
}

// WithTrace returns a context whose log lines carry the trace that a request's
// header names, or ctx itself where it names none that can be read.
func WithTrace(ctx context.Context, header http.Header) context.Context {
	t, ok := parseTraceparent(header.Get("traceparent"))
	if !ok {
		t, ok = parseCloudTrace(header.Get("X-Cloud-Trace-Context"))
	}
	if !ok {
		return ctx
	}
	return context.WithValue(ctx, traceInContext{}, t)
}

func (t trace) attrs(project string) []slog.Attr {
	name := t.id
	if project != "" {
		name = "projects/" + project + "/traces/" + t.id
	}
	attrs := []slog.Attr{slog.String(traceKey, name), slog.Bool(sampledKey, t.sampled)}
	if t.span != "" {
		attrs = append(attrs, slog.String(spanKey, t.span))
	}
	return attrs
}

// parseTraceparent reads W3C's VERSION-TRACE-SPAN-FLAGS. Versions to come may add
// fields at the end, none may change these.
func parseTraceparent(s string) (trace, bool) {
	p := strings.Split(s, "-")
	if len(p) < 4 || (p[0] == "00" && len(p) != 4) || p[0] == "ff" || !hex(p[0], 2) || !id(p[1], 32) || !id(p[2], 16) || !hex(p[3], 2) {
		return trace{}, false
	}
	flags, err := strconv.ParseUint(p[3], 16, 8)
	return trace{id: p[1], span: p[2], sampled: flags&1 == 1}, err == nil
}

// parseCloudTrace reads Google's older TRACE/SPAN;o=OPTIONS, where the span is
// decimal and all but the trace may be missing.
func parseCloudTrace(s string) (trace, bool) {
	s, options, _ := strings.Cut(s, ";")
	traceID, span, _ := strings.Cut(s, "/")
	traceID = strings.ToLower(traceID)
	if !id(traceID, 32) {
		return trace{}, false
	}
	t := trace{id: traceID, sampled: options == "o=1"}
	if n, err := strconv.ParseUint(span, 10, 64); err == nil && n != 0 {
		t.span = fmt.Sprintf("%016x", n)
	}
	return t, true
}

// id reports whether s is n lower-case hex digits and not all zeros, which means none.
func id(s string, n int) bool { return hex(s, n) && strings.Trim(s, "0") != "" }

func hex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}
