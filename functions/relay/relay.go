package relay

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/once"
)

// Name scopes this handler's keys.
const Name = "relay"

// TokenSource makes identity tokens. Token blocks until it has one that is valid
// for some minutes; it caches and is safe for concurrent use.
type TokenSource interface {
	Token(ctx context.Context, audience string) (string, error)
}

// Handler implements once.Handler and once.Verifier.
type Handler struct {
	c       Config
	tokens  TokenSource
	send    *http.Transport
	subject string
}

var _ once.Verifier = (*Handler)(nil)

// New answers with a handler that connects to nothing yet. tokens is needed only
// with an audience.
func New(c Config, tokens TokenSource) (*Handler, error) {
	err := c.Validate()
	if c.Audience != "" && tokens == nil {
		err = errors.Join(err, errors.New("ONCEWAY_RELAY_AUDIENCE: needs a source of tokens"))
	}
	if err != nil {
		return nil, fmt.Errorf("configure relay: %w", err)
	}
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, fmt.Errorf("configure relay: %w", err)
	}
	c = c.complete()
	// Without the query: it may hold a secret, and people read the subject.
	return &Handler{c: c, tokens: tokens, send: transport(c), subject: "POST " + u.Scheme + "://" + u.Host + u.EscapedPath()}, nil
}

// Close drops idle connections.
func (h *Handler) Close() { h.send.CloseIdleConnections() }

// Name implements once.Handler.
func (h *Handler) Name() string { return Name }

// Plan takes any data: the service decides what it can read.
func (h *Handler) Plan(m *envelope.Message) (once.Plan, error) {
	return once.Plan{Subject: h.subject, Policy: h.c.Policy, Summary: m.Event.Type()}, nil
}

// Run posts the event and reads the answer's meaning from its status alone.
func (h *Handler) Run(ctx context.Context, d *once.Delivery) error {
	ctx, cancel := context.WithTimeout(ctx, h.c.Timeout)
	defer cancel()
	req, err := h.request(ctx, d)
	if err != nil {
		return once.NoEffect(fmt.Errorf("prepare request: %w", err))
	}
	if h.c.Policy == claim.AtMostOnceAfterBegin {
		if ctx, err = d.Begin(ctx); err != nil {
			return err
		}
	}
	status, err := h.post(ctx, req)
	if err != nil {
		return err
	}
	return d.SetResult(fmt.Appendf(nil, `{"status":%d}`, status))
}
