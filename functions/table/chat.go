package table

import (
	"context"
	"net/http"
	"os"
	"strings"
	"time"
	_ "time/tzdata" // time zones of policy.yaml, where the image has none

	"onceway.internal/functions/chat"
	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/chatops/proposal"
	"onceway.internal/shared/chatops/reply"
	"onceway.internal/shared/chatops/webhook"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/once"
	"onceway.internal/shared/setting"
)

func checkChat(c setting.Config, f *setting.Faults) {
	checkEvents(c, f)
	checkRouting(c, f)
	if _, err := readFile(c.Chat.Policy, policy.Parse); err != nil {
		f.Add(true, "ONCEWAY_CHAT_POLICY", "%v", err)
	}
	if _, err := readFile(c.Chat.Tools, webhook.Parse); err != nil {
		f.Add(true, "ONCEWAY_CHAT_TOOLS", "%v", err)
	}
	f.Add(c.Chat.Alerts != "" && !webURL(c.Chat.Alerts), "ONCEWAY_ALERTMANAGER_URL", "is no http or https URL")
	f.Add(c.Chat.Kubernetes != "" && c.Chat.Cluster != "", "ONCEWAY_KUBECONFIG", "and ONCEWAY_CLUSTER_ENDPOINT are both set: one names the cluster")
	f.Add(c.Chat.Cluster != "" && !webURL(c.Chat.Cluster), "ONCEWAY_CLUSTER_ENDPOINT", "is no https URL")
	f.Add(c.Chat.Working <= 0, "ONCEWAY_CHAT_WORKING", "%v is not positive", c.Chat.Working)
	f.Add(c.Chat.Reply <= 0, "ONCEWAY_CHAT_REPLY_BUDGET", "%v is not positive", c.Chat.Reply)
}

func readFile[T any](path string, parse func(string, []byte) (T, error)) (v T, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return v, err
	}
	return parse(path, data)
}

func newChat(ctx context.Context, a *App) (once.Receiver, error) { return a.bind(ctx, makeChat) }

func makeChat(ctx context.Context, a *App) (once.Handler, error) {
	rules, err := readFile(a.Config.Chat.Policy, policy.Parse)
	if err != nil {
		return nil, err
	}
	tools, err := readFile(a.Config.Chat.Tools, webhook.Parse)
	if err != nil {
		return nil, err
	}
	commands, err := a.commands(ctx, tools)
	if err != nil {
		return nil, err
	}
	set, err := chatops.NewSet(rules.Zone, commands...)
	if err != nil {
		return nil, err
	}
	replies, err := a.replies()
	if err != nil {
		return nil, err
	}
	store, err := a.claimStore(ctx)
	if err != nil {
		return nil, err
	}
	proposals, err := proposal.New(store, time.Now, a.Config.TTL())
	if err != nil {
		return nil, err
	}
	log, err := a.Audit(ctx)
	if err != nil {
		return nil, err
	}
	return chat.New(chat.Config{
		Commands: set, AppCommands: tools.AppCommands, Policy: rules, Replies: replies, Proposals: proposals,
		Audit: log, Log: a.Log, Clock: clock.System{}, WorkingAfter: a.Config.Chat.Working,
	})
}

func (a *App) replies() (*reply.Client, error) {
	c := reply.Config{URL: a.Config.Chat.API, HTTP: &http.Client{}, Clock: clock.System{}, Budget: a.Config.Chat.Reply}
	if strings.HasPrefix(c.URL, "https:") {
		c.Tokens = &accessTokens{scope: reply.Scope}
	}
	return reply.New(c)
}
