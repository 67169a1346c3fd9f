// Command functions is the door: one binary for every function. FUNCTION_TARGET picks
// the one to serve at /; without it each is served at /Name and below.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/GoogleCloudPlatform/functions-framework-go/functions"

	"onceway.internal/functions/table"
	"onceway.internal/shared/logging"
	"onceway.internal/shared/serve"
	"onceway.internal/shared/setting"
)

func main() {
	collectLater()
	if err := realMain(context.Background(), os.LookupEnv, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "functions: %v\n", err)
		os.Exit(1)
	}
}

func realMain(ctx context.Context, lookup func(string) (string, bool), out io.Writer) (err error) {
	c, err := setting.Load(ctx, lookup)
	if err != nil {
		return fmt.Errorf("read configuration:\n%w", err)
	}
	if err := serve.Target(c.Process.Target, table.Names()); err != nil {
		return err
	}
	entries := chosen(c.Process.Target)
	if err := check(c, entries); err != nil {
		return fmt.Errorf("check configuration:\n%w", err)
	}
	log := logging.New(out, c.Process.Project)

	lifetime, end := context.WithCancelCause(ctx)
	defer end(nil)
	app, err := table.NewApp(lifetime, c, log)
	if err != nil {
		return err
	}
	if app.Trace, err = table.NewTracer(ctx, app); err != nil {
		return err
	}
	defer func() {
		if cerr := app.Close(); err == nil {
			err = cerr
		}
	}()
	h, err := handler(app, c.Process.Target, entries)
	if err != nil {
		return err
	}
	return serve.Run(ctx, serve.Config{
		Addr: c.Process.Host + ":" + c.Process.Port, Grace: c.Process.Grace, Logger: log,
		Stopping: func() { end(serve.ErrStopping) },
	}, h)
}

// handler serves the target, or each function below its name.
func handler(app *table.App, target string, entries []table.Entry) (http.Handler, error) {
	if target != "" {
		functions.HTTP(target, app.Handler(entries[0]).ServeHTTP)
		return serve.Framework()
	}
	byName := map[string]http.Handler{}
	for _, e := range entries {
		byName[e.Name] = app.Handler(e)
	}
	return serve.Below(byName)
}

// chosen is the one function that target names, or all.
func chosen(target string) []table.Entry {
	if e, ok := table.Find(target); ok {
		return []table.Entry{e}
	}
	return table.Entries()
}

func check(c setting.Config, entries []table.Entry) error {
	var f setting.Faults
	c.CheckProcess(&f)
	for _, e := range entries {
		e.Check(c, &f)
	}
	return f.Err()
}
