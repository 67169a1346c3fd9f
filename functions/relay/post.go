package relay

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"onceway.internal/shared/once"
)

// effectHeader lets the service say on any failing answer that nothing happened.
const (
	effectHeader = "Onceway-Effect"
	noEffect     = "none"
)

// StatusError is an answer that was not 2xx.
type StatusError struct{ Code int }

func (e *StatusError) Error() string {
	return fmt.Sprintf("service answered %d %s", e.Code, http.StatusText(e.Code))
}

// post sends the request once and answers with a status of 2xx, or with a verdict.
// Its errors never hold a part of the answer's body, nor of the URL but its host.
func (h *Handler) post(ctx context.Context, req *http.Request) (int, error) {
	// Once there is a connection, a byte may have been written: what fails from
	// then on may have acted. Before (no name, no listener, no TLS), nothing can have.
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	resp, err := h.send.RoundTrip(req.WithContext(ctx))
	if err != nil {
		err = fmt.Errorf("post to %s: %w", req.URL.Host, err)
		if !connected.Load() {
			return 0, once.NoEffect(err)
		}
		return 0, err
	}
	h.drain(resp)
	return resp.StatusCode, verdict(resp)
}

// drain reads a short answer to its end, so that the connection can be used again,
// and gives up on a long one. The status has already said what happened.
func (h *Handler) drain(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, h.c.MaxResponse)
	_ = resp.Body.Close()
}

func verdict(resp *http.Response) error {
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return nil
	}
	var err error = &StatusError{Code: resp.StatusCode}
	permanent, unchanged := meaning(resp.StatusCode)
	if permanent {
		err = once.Permanent(err, fmt.Sprintf("http-%d", resp.StatusCode))
	}
	if unchanged || resp.Header.Get(effectHeader) == noEffect {
		err = once.NoEffect(err)
	}
	return err
}

// meaning says of a status that is not 2xx whether a repeat is pointless, and
// whether it means that the service did nothing. The README has the reasons.
func meaning(status int) (permanent, unchanged bool) {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooEarly, http.StatusTooManyRequests:
		return false, true
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
		http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone,
		http.StatusLengthRequired, http.StatusPreconditionFailed, http.StatusRequestEntityTooLarge,
		http.StatusRequestURITooLong, http.StatusUnsupportedMediaType, http.StatusMisdirectedRequest,
		http.StatusUpgradeRequired, http.StatusPreconditionRequired, http.StatusRequestHeaderFieldsTooLarge,
		http.StatusUnavailableForLegalReasons, http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return true, true
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusLocked:
		return false, false
	}
	return status >= 300 && status < 500, false
}
