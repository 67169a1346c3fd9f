// Command worker is the pull-mode container: it runs the same handlers as the push
// functions over StreamingPull, for teams on GKE.
//
// At its start it waits a minute for its claim store and then exits with 1, as it does
// at once for what waiting can't mend: a store that refuses it, a subscription that is
// not there or not its to pull. While Pub/Sub is away it goes on trying. /readyz says 503
// in both cases, /healthz 200. After SIGTERM it ends within its grace, whoever is away.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"onceway.internal/functions/table"
	"onceway.internal/shared/logging"
	"onceway.internal/shared/pull"
	"onceway.internal/shared/serve"
	"onceway.internal/shared/setting"
)

func main() {
	if err := realMain(context.Background(), os.LookupEnv, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "worker: %v\n", err)
		os.Exit(1)
	}
}

func realMain(ctx context.Context, lookup func(string) (string, bool), out io.Writer) (err error) {
	c, err := setting.Load(ctx, lookup)
	if err != nil {
		return fmt.Errorf("read configuration:\n%w", err)
	}
	pulls, err := check(c)
	if err != nil {
		return fmt.Errorf("check configuration:\n%w", err)
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	lifetime, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(c.Process.Grace, func() { end(serve.ErrStopping) })
	})()

	meters := newMeters(len(pulls))
	log := logging.New(out, c.Process.Project)
	app, err := table.NewApp(lifetime, c, log)
	if err != nil {
		return err
	}
	app.Pull, app.Slots, app.Observe = true, c.Worker.Outstanding*len(pulls), meters.observe
	defer func() {
		if cerr := closed(app); err == nil {
			err = cerr
		}
	}()
	return run(ctx, app, pulls, meters)
}

// closeWithin is what the chart leaves beside grace, settling and one call of the store.
const closeWithin = 3 * time.Second

// closed closes what the worker uses. A letter that waits for Pub/Sub to come back must
// not hold the end up: its event was not acknowledged.
func closed(app *table.App) error {
	ended := make(chan error, 1)
	go func() { ended <- app.Close() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(closeWithin):
		return errors.New("close clients: they still wait for an answer")
	}
}

// run serves probes, waits for the claim store and then pulls, until ctx ends and the
// deliveries in work are done.
func run(ctx context.Context, app *table.App, pulls []setting.Pull, meters *meters) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return meters.serve(ctx, app.Config.Worker.Address, app.Log) })
	group.Go(func() error {
		if err := awaitStore(ctx, app, storeWithin); err != nil || ctx.Err() != nil {
			return err
		}
		return pullAll(ctx, app, pulls, meters)
	})
	return group.Wait()
}

// pullAll pulls every subscription. If one can't be pulled for good the process ends, for
// its supervisor to see.
func pullAll(ctx context.Context, app *table.App, pulls []setting.Pull, meters *meters) error {
	client, err := app.PubSub(ctx)
	if err != nil {
		return err
	}
	c := app.Config
	group, ctx := errgroup.WithContext(ctx)
	for i, p := range pulls {
		e, _ := table.Find(p.Function)
		rc, err := e.Push(ctx, app)
		if err != nil {
			return fmt.Errorf("make function %s: %w", p.Function, err)
		}
		group.Go(func() error {
			return pull.Run(ctx, pull.Config{
				Client: client, Subscription: p.Subscription, Receiver: meters.count(rc), Log: app.Log,
				Outstanding: c.Worker.Outstanding, AckTimeout: c.Once.StoreTimeout,
				Hold:      min(c.Once.Lease, time.Minute), // before the lease is over nobody could take over
				Extension: c.Once.Wait + c.Once.HandlerTimeout + c.Once.FinishBudget + c.Once.Margin,
				Reached:   meters.reached(i),
			})
		})
	}
	return group.Wait()
}

func check(c setting.Config) ([]setting.Pull, error) {
	var f setting.Faults
	c.CheckProcess(&f)
	c.CheckWorker(&f)
	pulls := c.Pulls(&f)
	for _, p := range pulls {
		e, ok := table.Find(p.Function)
		if f.Add(!ok || e.Push == nil, "ONCEWAY_SUBSCRIPTIONS", "%q is no function for events", p.Function); ok && e.Push != nil {
			e.Check(c, &f)
		}
	}
	return pulls, f.Err()
}
