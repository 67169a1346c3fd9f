package logging

import (
	"context"
	"log/slog"
	"slices"
)

// handler adds the context's trace at the top of each line.
type handler struct {
	lines   slog.Handler
	project string
	// ungrouped and since exist once a group is open: attributes of a record then
	// land in the group, where Cloud Logging does not look for the trace.
	ungrouped slog.Handler
	since     []func(slog.Handler) slog.Handler
}

func (h *handler) Enabled(ctx context.Context, l slog.Level) bool { return h.lines.Enabled(ctx, l) }

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	t, ok := ctx.Value(traceInContext{}).(trace)
	if !ok {
		return h.lines.Handle(ctx, r)
	}
	if h.ungrouped == nil {
		r = r.Clone()
		r.AddAttrs(t.attrs(h.project)...)
		return h.lines.Handle(ctx, r)
	}
	lines := h.ungrouped.WithAttrs(t.attrs(h.project))
	for _, apply := range h.since {
		lines = apply(lines)
	}
	return lines.Handle(ctx, r)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.with(false, func(lines slog.Handler) slog.Handler { return lines.WithAttrs(attrs) })
}

func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return h.with(true, func(lines slog.Handler) slog.Handler { return lines.WithGroup(name) })
}

func (h *handler) with(group bool, apply func(slog.Handler) slog.Handler) slog.Handler {
	next := *h
	if group && h.ungrouped == nil {
		next.ungrouped = h.lines
	}
	if next.ungrouped != nil {
		next.since = append(slices.Clip(h.since), apply)
	}
	next.lines = apply(h.lines)
	return &next
}
