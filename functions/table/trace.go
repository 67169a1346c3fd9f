package table

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"onceway.internal/shared/trace"
)

// NewTracer makes the process's Tracer on Cloud Run; elsewhere it is nil, which is off.
// Credentials are found at the first span that is recorded.
func NewTracer(ctx context.Context, a *App) (*trace.Tracer, error) {
	p := a.Config.Process
	if p.Service == "" {
		return nil, nil
	}
	t, err := trace.New(ctx, trace.Config{
		Project: p.Project, Service: p.Service, Log: a.Log,
		HTTP: &http.Client{Transport: &oauth2.Transport{Source: &lateTokens{ctx: context.WithoutCancel(ctx)}}},
	})
	if err != nil {
		return nil, fmt.Errorf("make tracer: %w", err)
	}
	return t, nil
}

// lateTokens finds its credentials when the first token is asked for.
type lateTokens struct {
	ctx    context.Context // tokens are renewed as long as the process lives
	mu     sync.Mutex
	source oauth2.TokenSource
}

func (l *lateTokens) Token() (*oauth2.Token, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.source == nil {
		s, err := google.DefaultTokenSource(l.ctx, trace.Scope)
		if err != nil {
			return nil, fmt.Errorf("find credentials: %w", err)
		}
		l.source = s
	}
	return l.source.Token()
}
