package logging

import (
	"io"
	"log/slog"
)

// Names that Cloud Logging takes out of a JSON line.
const (
	severityKey = "severity"
	messageKey  = "message"
	traceKey    = "logging.googleapis.com/trace"
	spanKey     = "logging.googleapis.com/spanId"
	sampledKey  = "logging.googleapis.com/trace_sampled"
	labelsKey   = "logging.googleapis.com/labels"
)

// New returns a logger that writes one line to w for each record of level Info
// and above, each with a single Write. project is the Google Cloud project that
// traces belong to; without it a line holds the bare trace ID.
func New(w io.Writer, project string) *slog.Logger {
	lines := slog.NewJSONHandler(w, &slog.HandlerOptions{ReplaceAttr: rename})
	return slog.New(&handler{lines: lines, project: project})
}

// Labels puts pairs of name and value among the entry's labels, by which logs are
// filtered and counted: keep the values few. It works on a logger outside any group.
func Labels(pairs ...string) slog.Attr {
	labels := make([]any, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		labels = append(labels, slog.String(pairs[i], pairs[i+1]))
	}
	return slog.Group(labelsKey, labels...)
}

func rename(groups []string, a slog.Attr) slog.Attr {
	if len(groups) > 0 {
		return a
	}
	switch a.Key {
	case slog.LevelKey:
		if level, ok := a.Value.Any().(slog.Level); ok {
			return slog.String(severityKey, severity(level))
		}
	case slog.MessageKey:
		a.Key = messageKey
	}
	return a
}

func severity(l slog.Level) string {
	switch {
	case l < slog.LevelInfo:
		return "DEBUG"
	case l < slog.LevelWarn:
		return "INFO"
	case l < slog.LevelError:
		return "WARNING"
	case l < slog.LevelError+4:
		return "ERROR"
	}
	return "CRITICAL"
}
