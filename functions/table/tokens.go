package table

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/idtoken"
)

// Tokens makes identity tokens with the service account's own credentials.
func (a *App) Tokens() *IDTokens { return &a.tokens }

// IDTokens keeps one source for each audience; a source renews its token in time.
type IDTokens struct {
	mu      sync.Mutex
	sources map[string]oauth2.TokenSource
}

// Token answers with an identity token for audience.
func (t *IDTokens) Token(ctx context.Context, audience string) (string, error) {
	s, err := t.source(ctx, audience)
	if err != nil {
		return "", fmt.Errorf("make identity token: %w", err)
	}
	token, err := s.Token()
	if err != nil {
		return "", fmt.Errorf("make identity token: %w", err)
	}
	return token.AccessToken, nil
}

func (t *IDTokens) source(ctx context.Context, audience string) (oauth2.TokenSource, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s, ok := t.sources[audience]; ok {
		return s, nil
	}
	s, err := idtoken.NewTokenSource(context.WithoutCancel(ctx), audience)
	if err != nil {
		return nil, err
	}
	if t.sources == nil {
		t.sources = make(map[string]oauth2.TokenSource)
	}
	t.sources[audience] = s
	return s, nil
}

// accessTokens are access tokens of one scope, found at their first use.
type accessTokens struct {
	scope  string
	mu     sync.Mutex
	source oauth2.TokenSource
}

// Token answers with an access token; it renews it in time.
func (t *accessTokens) Token(ctx context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.source == nil {
		s, err := google.DefaultTokenSource(context.WithoutCancel(ctx), t.scope)
		if err != nil {
			return "", fmt.Errorf("find credentials: %w", err)
		}
		t.source = s
	}
	token, err := t.source.Token()
	if err != nil {
		return "", fmt.Errorf("get access token: %w", err)
	}
	return token.AccessToken, nil
}
