package setting

import "log/slog"

// Secret is a value that never shows in logs, errors or dumps.
type Secret string

const redacted = "[redacted]"

// String, GoString, MarshalText and LogValue all hide the value; Reveal answers with it.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// GoString implements fmt.GoStringer.
func (s Secret) GoString() string { return s.String() }

// MarshalText implements encoding.TextMarshaler.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Reveal answers with the value, for the one place that needs it.
func (s Secret) Reveal() string { return string(s) }
