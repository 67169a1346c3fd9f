package table

import (
	"context"
	"errors"

	"onceway.internal/functions/relay"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/once"
	"onceway.internal/shared/setting"
)

func relayConfig(c setting.Config) relay.Config {
	r := c.Relay
	return relay.Config{
		URL: r.URL, VerifyURL: r.Verify, Policy: claim.Policy(r.Policy), Timeout: r.Timeout,
		MaxResponse: r.MaxBody, Headers: r.Headers, Audience: r.Audience, Private: r.Private,
	}
}

func checkRelay(c setting.Config, f *setting.Faults) {
	checkEvents(c, f)
	f.Join(relayConfig(c).Validate())
	f.Add(c.Relay.Timeout >= c.Once.HandlerTimeout, "ONCEWAY_RELAY_TIMEOUT", "%v is not shorter than ONCEWAY_HANDLER_TIMEOUT %v", c.Relay.Timeout, c.Once.HandlerTimeout)
}

func makeRelay(_ context.Context, a *App) (once.Handler, error) {
	return relay.New(relayConfig(a.Config), a.Tokens())
}

func newRelay(ctx context.Context, a *App) (once.Receiver, error) { return a.bind(ctx, makeRelay) }

// bind makes a handler and runs it under claims.
func (a *App) bind(ctx context.Context, build func(context.Context, *App) (once.Handler, error)) (once.Receiver, error) {
	h, err := build(ctx, a)
	if err != nil {
		return nil, err
	}
	r, err := a.Runner(ctx)
	if err != nil {
		return nil, err
	}
	return r.Bind(h), nil
}

// checkEvents checks what every function for events needs. The times of push bind a
// process that is pushed to; a worker extends deadlines as needed.
func checkEvents(c setting.Config, f *setting.Faults) {
	c.CheckOnce(f)
	if len(c.Worker.Subscriptions) == 0 {
		c.CheckPush(f)
	}
}

var errNoVerifier = errors.New("has no way to find out whether it acted")
