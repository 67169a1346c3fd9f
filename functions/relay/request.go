package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"onceway.internal/shared/envelope"
	"onceway.internal/shared/once"
)

// Headers of a relayed request, beside ce-*.
const (
	keyHeader   = "Idempotency-Key" // the operation ID
	epochHeader = "Onceway-Epoch"   // the fencing token, decimal
)

// request is the event as a CloudEvent in binary mode.
func (h *Handler) request(ctx context.Context, d *once.Delivery) (*http.Request, error) {
	ev, data := d.Message.Event, d.Message.Event.Data()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.c.URL, nil)
	if err != nil {
		return nil, err
	}
	// Set by hand, so that there is no GetBody: see the package comment. An empty
	// body must not look like none either.
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	for _, name := range h.c.Headers {
		if value, ok := attribute(d.Message, name); ok && httpguts.ValidHeaderFieldValue(value) {
			req.Header.Set(name, value)
		}
	}
	for name, value := range envelope.AttributesOf(ev) {
		if strings.HasPrefix(name, "ce-") {
			req.Header.Set(name, encode(value))
		}
	}
	req.Header.Set("Content-Type", contentType(ev.DataContentType(), data))
	req.Header.Set("User-Agent", "onceway-relay")
	req.Header.Set(keyHeader, d.OperationID)
	req.Header.Set(epochHeader, strconv.FormatInt(d.Epoch, 10))
	return req, h.authorize(ctx, req)
}

func (h *Handler) authorize(ctx context.Context, req *http.Request) error {
	if h.c.Audience == "" {
		return nil
	}
	token, err := h.tokens.Token(ctx, h.c.Audience)
	if err != nil {
		return fmt.Errorf("get identity token: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	return nil
}

// attribute finds an attribute under a header's name, which has no case: pushed
// without wrapper, attributes arrive in lower case.
func attribute(m *envelope.Message, name string) (string, bool) {
	if v, ok := m.Attributes[name]; ok {
		return v, true
	}
	v, ok := m.Attributes[strings.ToLower(name)]
	return v, ok
}

// contentType guesses only between JSON and bytes, where the publisher said nothing.
func contentType(said string, data []byte) string {
	switch {
	case said != "" && httpguts.ValidHeaderFieldValue(said):
		return said
	case json.Valid(data):
		return "application/json"
	}
	return "application/octet-stream"
}

// encode percent-encodes what CloudEvents' HTTP binding wants encoded in a header:
// space, double quote, percent and all but printable ASCII.
func encode(value string) string {
	const hex = "0123456789ABCDEF"
	var out strings.Builder
	for i := range len(value) {
		c := value[i]
		if c > ' ' && c < 0x7f && c != '"' && c != '%' {
			out.WriteByte(c)
			continue
		}
		out.WriteByte('%')
		out.WriteByte(hex[c>>4])
		out.WriteByte(hex[c&15])
	}
	return out.String()
}
