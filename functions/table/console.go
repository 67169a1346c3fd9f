package table

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"onceway.internal/functions/console"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/iap"
	"onceway.internal/shared/setting"
)

const consoleName = "Console"

// checkConsole refuses a console that nobody would have to sign in to. Where it is one
// of many functions in a process, the others are served all the same: see newConsole.
func checkConsole(c setting.Config, f *setting.Faults) {
	c.CheckOnce(f)
	checkRouting(c, f)
	if _, err := readFile(c.Chat.Policy, policy.Parse); err != nil {
		f.Add(true, "ONCEWAY_CHAT_POLICY", "%v", err)
	}
	f.Add(c.Sweep.Horizon <= 0, "ONCEWAY_REDELIVERY_HORIZON", "%v is not positive", c.Sweep.Horizon)
	if err := mayServe(c); c.Process.Target == consoleName && err != nil {
		f.Add(true, "ONCEWAY_CONSOLE_AUDIENCE", "%v", err)
	}
	if c.Console.Audience != "" {
		if err := proxyConfig(c).Validate(); err != nil {
			f.Add(true, "ONCEWAY_CONSOLE_KEYS", "%v", err)
		}
	}
	f.Add(c.Console.Audience == "" && c.Console.Identity == "", "ONCEWAY_CONSOLE_IDENTITY", "is empty, and nobody signs in")
}

var errNoSignIn = errors.New("is empty: without Identity-Aware Proxy the console is served on a loopback address alone (ONCEWAY_HOST), and never on Cloud Run")

// mayServe reports why a console without the proxy may not be served here.
func mayServe(c setting.Config) error {
	ip := net.ParseIP(c.Process.Host)
	loopback := c.Process.Host == "localhost" || ip != nil && ip.IsLoopback()
	if c.Console.Audience == "" && (c.Process.Service != "" || !loopback) {
		return errNoSignIn
	}
	return nil
}

func proxyConfig(c setting.Config) iap.Config {
	return iap.Config{Audience: c.Console.Audience, KeysURL: c.Console.Keys, HTTP: &http.Client{}, Now: time.Now}
}

func newConsole(ctx context.Context, a *App) (http.Handler, error) {
	if err := mayServe(a.Config); err != nil {
		return nil, fmt.Errorf("ONCEWAY_CONSOLE_AUDIENCE: %w", err)
	}
	d, err := a.consoleDeps(ctx)
	if err != nil {
		return nil, err
	}
	if a.Config.Console.Audience != "" {
		if d.Proxy, err = iap.New(proxyConfig(a.Config)); err != nil {
			return nil, err
		}
	}
	return console.New(d)
}

func (a *App) consoleDeps(ctx context.Context) (d console.Deps, err error) {
	c := a.Config
	d = console.Deps{
		Identity: c.Console.Identity, Facts: facts(c), Period: c.Routing.Period, Horizon: c.Sweep.Horizon,
		Now: time.Now, Token: claim.NewToken, Log: a.Log,
	}
	var errs []error
	need := func(err error) { errs = append(errs, err) }
	d.Groups, err = a.Groups(ctx)
	need(err)
	d.Live, err = a.Live(ctx)
	need(err)
	d.Router, err = a.Router(ctx)
	need(err)
	d.State, err = a.State(ctx)
	need(err)
	d.Claims, err = a.Claims(ctx)
	need(err)
	d.Lister, err = a.Lister(ctx)
	need(err)
	d.Letters, err = a.Letters(ctx)
	need(err)
	d.Settler, err = a.Settler(ctx)
	need(err)
	d.Audit, err = a.Audit(ctx)
	need(err)
	d.Policy, err = readFile(c.Chat.Policy, policy.Parse)
	need(err)
	return d, errors.Join(errs...)
}

// facts are what somebody who looks for a fault asks first.
func facts(c setting.Config) []console.Fact {
	signIn := "Identity-Aware Proxy, audience " + c.Console.Audience
	if c.Console.Audience == "" {
		signIn = "none: loopback alone, as " + c.Console.Identity
	}
	return []console.Fact{
		{Name: "Project", Value: c.Process.Project},
		{Name: "Claims and letters", Value: c.Store.Claims},
		{Name: "Routing state", Value: c.Store.State},
		{Name: "Backlogs", Value: c.Routing.Source},
		{Name: "Lease", Value: console.Words(c.Once.Lease)},
		{Name: "Attempts", Value: fmt.Sprint(c.Once.MaxAttempts)},
		{Name: "Not done is believed", Value: console.Words(c.Once.SettleAfter) + " after a parked owner's lease"},
		{Name: "Finished claims are kept", Value: console.Words(c.TTL())},
		{Name: "Sign-in", Value: signIn},
	}
}
