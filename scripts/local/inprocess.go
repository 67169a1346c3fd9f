package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"onceway.internal/functions/table"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/logging"
	"onceway.internal/shared/pull"
	"onceway.internal/test/witness"
)

// inProcess serves everything in this process, from one memory store.
type inProcess struct {
	base   string
	tap    *witness.PullTap // the victim's way to Pub/Sub
	store  *cuttable        // and to the claims
	ending closers
}

// memory is the store that all of them share.
type memory struct {
	claims  *memclaim.Store
	letters *memclaim.Letters
}

func startInProcess(ctx context.Context, p plan, counts *witness.Deliveries) (_ host, err error) {
	h := &inProcess{}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close())
		}
	}()
	store := memory{}
	if store.claims, err = memclaim.New(1_000_000, time.Now); err != nil {
		return nil, fmt.Errorf("make the claim store: %w", err)
	}
	if store.letters, err = memclaim.NewLetters(100_000, time.Now); err != nil {
		return nil, fmt.Errorf("make the letter store: %w", err)
	}
	h.store = &cuttable{Store: store.claims}
	log := logging.New(p.logs, p.config.project)
	if err := h.serve(ctx, p, store, log); err != nil {
		return nil, err
	}
	for _, name := range []string{victim, survivor} {
		tap, err := witness.NewPullTap(p.pubsub, counts, witness.NewFlow(time.Now))
		if err != nil {
			return nil, err
		}
		h.ending.add(func() error { tap.Cut(); return nil })
		env := p.config.workerEnvironment(p.env, name, p.hooks, "127.0.0.1:0")
		claims := &cuttable{Store: store.claims}
		if name == victim {
			h.tap, claims = tap, h.store
		}
		if err := h.work(ctx, p, env, tap.Addr(), claims, store, log); err != nil {
			return nil, fmt.Errorf("start %s: %w", name, err)
		}
	}
	return h, nil
}

// serve puts every function on one loopback server, each at its name.
func (h *inProcess) serve(ctx context.Context, p plan, store memory, log *slog.Logger) error {
	c, err := settings(ctx, p.env)
	if err != nil {
		return err
	}
	client, err := connect(ctx, p.config.project, p.pubsub)
	if err != nil {
		return err
	}
	lifetime, end := context.WithCancel(context.WithoutCancel(ctx))
	app, err := table.NewApp(lifetime, c, log)
	if err != nil {
		end()
		return errors.Join(err, client.Close())
	}
	app.UsePubSub(client)
	app.UseClaims(store.claims, store.claims, store.letters)
	h.ending.add(app.Close)
	mux := http.NewServeMux()
	for _, e := range table.Entries() {
		mux.Handle("/"+e.Name, app.Handler(e))
		mux.Handle("/"+e.Name+"/", http.StripPrefix("/"+e.Name, app.Handler(e)))
	}
	base, stop, err := listen(mux, func() { time.AfterFunc(p.config.times.grace, end) })
	if err != nil {
		end()
		return err
	}
	h.base = base
	h.ending.add(func() error { defer end(); return stop() })
	return nil
}

// work runs a worker's pulls until the host closes.
func (h *inProcess) work(ctx context.Context, p plan, env map[string]string, pubsub string, claims *cuttable, store memory, log *slog.Logger) error {
	c, err := workerSettings(ctx, env)
	if err != nil {
		return err
	}
	client, err := connect(ctx, p.config.project, pubsub)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	app, err := table.NewApp(ctx, c.Config, log)
	if err != nil {
		stop()
		return errors.Join(err, client.Close())
	}
	app.Pull, app.Slots = true, c.Worker.Outstanding
	app.UsePubSub(client)
	app.UseClaims(claims, store.claims, store.letters)
	receiver, err := c.entry.Push(ctx, app)
	if err != nil {
		stop()
		return errors.Join(err, app.Close())
	}
	ended := make(chan error, 1)
	go func() {
		ended <- pull.Run(ctx, pull.Config{
			Client: client, Subscription: c.subscription, Receiver: receiver, Log: log,
			Outstanding: c.Worker.Outstanding, AckTimeout: c.Once.StoreTimeout, Hold: min(c.Once.Lease, time.Minute),
			Extension: c.Once.Wait + c.Once.HandlerTimeout + c.Once.FinishBudget + c.Once.Margin,
		})
	}()
	h.ending.add(func() error {
		stop()
		if claims.isCut() {
			// It was lost and can't end in order: its client goes on for minutes with
			// acknowledgements that nobody takes. The end of this process ends it.
			return nil
		}
		return errors.Join(<-ended, app.Close())
	})
	return nil
}

func (h *inProcess) endpoint(function string) string { return h.base + "/" + function }

func (h *inProcess) loseWorker() {
	h.store.cut()
	h.tap.Cut()
}

func (h *inProcess) close() error { return h.ending.close() }

// listen serves on a free loopback port until stop is called; stopping is told first.
func listen(handler http.Handler, stopping func()) (base string, stop func() error, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() error {
		stopping()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			_ = server.Close()
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve: %w", err)
		}
		return nil
	}, nil
}
