package table

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/deployment"
	"onceway.internal/shared/chatops/group"
	"onceway.internal/shared/chatops/parked"
	"onceway.internal/shared/chatops/silence"
	"onceway.internal/shared/chatops/webhook"
	"onceway.internal/shared/clock"
)

// clusterScope is what a token for a GKE cluster needs.
const clusterScope = "https://www.googleapis.com/auth/cloud-platform"

// commands are everything that can be asked for here.
func (a *App) commands(ctx context.Context, tools webhook.File) ([]chatops.Command, error) {
	var all []chatops.Command
	for _, some := range []func(context.Context) ([]chatops.Command, error){a.groupCommands, a.parkedCommands, a.deploymentCommands, a.silenceCommands} {
		commands, err := some(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, commands...)
	}
	hooks, err := webhook.Commands(tools, a.Tokens())
	return append(all, hooks...), err
}

func (a *App) groupCommands(ctx context.Context) ([]chatops.Command, error) {
	book, err := a.Book(ctx, audit.Chat)
	if err != nil {
		return nil, err
	}
	router, err := a.Router(ctx)
	if err != nil {
		return nil, err
	}
	return group.Commands(group.Config{Groups: router.Groups(), Book: group.BookOf(book), View: router})
}

func (a *App) parkedCommands(ctx context.Context) ([]chatops.Command, error) {
	store, err := a.claimStore(ctx)
	if err != nil {
		return nil, err
	}
	return parked.Commands(store)
}

// deploymentCommands are there where a cluster is: named, or the one this runs in.
func (a *App) deploymentCommands(context.Context) ([]chatops.Command, error) {
	c := a.Config.Chat
	target := deployment.Target{Kubeconfig: c.Kubernetes, Endpoint: c.Cluster}
	if c.Cluster != "" {
		target.Tokens = &accessTokens{scope: clusterScope}
	}
	if c.ClusterCA != "" {
		pem, err := os.ReadFile(c.ClusterCA)
		if err != nil {
			return nil, fmt.Errorf("ONCEWAY_CLUSTER_CA: %w", err)
		}
		target.CA = pem
	}
	client, err := deployment.Connect(target)
	if errors.Is(err, deployment.ErrNoCluster) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return deployment.Commands(deployment.Tool{Client: client, Now: time.Now, Clock: clock.System{}})
}

// silenceCommands are there where an Alertmanager is.
func (a *App) silenceCommands(context.Context) ([]chatops.Command, error) {
	if a.Config.Chat.Alerts == "" {
		return nil, nil
	}
	u, err := url.Parse(a.Config.Chat.Alerts)
	if err != nil {
		return nil, fmt.Errorf("ONCEWAY_ALERTMANAGER_URL: %w", err)
	}
	return silence.Commands(silence.Tool{URL: u, HTTP: &http.Client{}, Now: time.Now, Timeout: a.Config.Chat.Reply})
}

func webURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}
