package main

import (
	"context"
	"os"

	"github.com/GoogleCloudPlatform/functions-framework-go/functions"

	"onceway.internal/functions/table"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/logging"
	"onceway.internal/shared/once"
	"onceway.internal/shared/serve"
	"onceway.internal/shared/setting"
)

// guarded serves a push function as functions/main.go does, with the same settings,
// log and server; its handler does nothing. It writes its line for each delivery.
func guarded(ctx context.Context, addr string) error {
	c, err := setting.Load(ctx, os.LookupEnv)
	if err != nil {
		return err
	}
	log := logging.New(os.Stdout, c.Process.Project)
	app, err := table.NewApp(ctx, c, log)
	if err != nil {
		return err
	}
	e := table.Entry{Name: c.Process.Target, Push: func(ctx context.Context, a *table.App) (once.Receiver, error) {
		r, err := a.Runner(ctx)
		if err != nil {
			return nil, err
		}
		return r.Bind(idle{}), nil
	}}
	functions.HTTP(e.Name, app.Handler(e).ServeHTTP)
	h, err := serve.Framework()
	if err != nil {
		return err
	}
	return serve.Run(ctx, serve.Config{Addr: addr, Grace: c.Process.Grace, Logger: log}, h)
}

type idle struct{}

func (idle) Name() string { return "bench" }

func (idle) Plan(*envelope.Message) (once.Plan, error) {
	return once.Plan{Policy: claim.AtLeastOnce, Summary: "nothing"}, nil
}

func (idle) Run(context.Context, *once.Delivery) error { return nil }
