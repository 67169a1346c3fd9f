package table

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"onceway.internal/functions/sweep"
	"onceway.internal/shared/once"
	"onceway.internal/shared/setting"
)

// sweepTimeout lets a round end before the next one is called.
const sweepTimeout = 50 * time.Second

// verifiers are the handlers that Sweep may ask, by the name their claims bear.
var verifiers = map[string]struct {
	check func(setting.Config, *setting.Faults)
	build func(context.Context, *App) (once.Handler, error)
}{
	"chat":  {checkChat, makeChat},
	"relay": {checkRelay, makeRelay},
}

func checkSweep(c setting.Config, f *setting.Faults) {
	c.CheckOnce(f)
	s := c.Sweep
	f.Add(s.Horizon <= 0, "ONCEWAY_REDELIVERY_HORIZON", "%v is not positive", s.Horizon)
	f.Add(s.VerifyTimeout <= 0, "ONCEWAY_VERIFY_TIMEOUT", "%v is not positive", s.VerifyTimeout)
	f.Add(s.Pages < 1, "ONCEWAY_SWEEP_PAGES", "%d is below 1", s.Pages)
	for _, name := range s.Verify {
		v, ok := verifiers[strings.TrimSpace(name)]
		if f.Add(!ok, "ONCEWAY_VERIFY", "%q is none of chat, relay", name); ok {
			v.check(c, f)
		}
	}
}

func newSweep(ctx context.Context, a *App) (http.Handler, error) {
	var asked []once.Verifier
	for _, name := range a.Config.Sweep.Verify {
		h, err := verifiers[strings.TrimSpace(name)].build(ctx, a)
		if err != nil {
			return nil, err
		}
		v, ok := h.(once.Verifier)
		if !ok {
			return nil, fmt.Errorf("handler %s %w", name, errNoVerifier)
		}
		asked = append(asked, v)
	}
	s, err := a.Settler(ctx, asked...)
	if err != nil {
		return nil, err
	}
	return sweep.New(s, a.Log, sweepTimeout)
}
