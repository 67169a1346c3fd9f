package relay

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"onceway.internal/shared/once"
)

// Verify asks VerifyURL. Only a plain 200 or 404 is an answer: the service must
// give 404 for nothing but an operation that it never carried out, since the event
// then runs again.
func (h *Handler) Verify(ctx context.Context, _, operationID string) (once.Answer, error) {
	if h.c.VerifyURL == "" {
		return once.Unknown, nil
	}
	ctx, cancel := context.WithTimeout(ctx, h.c.Timeout)
	defer cancel()
	at := strings.ReplaceAll(h.c.VerifyURL, operationMark, url.PathEscape(operationID))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return once.Unknown, fmt.Errorf("prepare question: %w", err)
	}
	if err := h.authorize(ctx, req); err != nil {
		return once.Unknown, err
	}
	resp, err := h.send.RoundTrip(req)
	if err != nil {
		return once.Unknown, fmt.Errorf("ask %s: %w", req.URL.Host, err)
	}
	h.drain(resp)
	switch resp.StatusCode {
	case http.StatusOK:
		return once.EffectDone, nil
	case http.StatusNotFound:
		return once.EffectNotDone, nil
	}
	return once.Unknown, &StatusError{Code: resp.StatusCode}
}
