package table

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/firestore"
	"cloud.google.com/go/pubsub/v2"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/once"
	"onceway.internal/shared/publish"
	"onceway.internal/shared/route"
	"onceway.internal/shared/setting"
	"onceway.internal/shared/trace"
)

// App is what the functions of one process share. Every client and store is made at
// its first use, so that a function pays only for what it needs, and only when an
// event is there. Safe for concurrent use.
type App struct {
	Config setting.Config
	Log    *slog.Logger
	// Lifetime ends when handlers have to stop.
	Lifetime context.Context
	// Pull says that events are pulled: their ack deadline is extended as needed and
	// leases may be renewed.
	Pull bool
	// Slots is how many deliveries run at once.
	Slots int
	// Observe is told of every delivery; may be nil.
	Observe func(once.Report)
	// Trace makes a span of every delivery that is pushed; nil is off.
	Trace *trace.Tracer

	fire      lazy[*firestore.Client]
	client    lazy[*pubsub.Client]
	publisher lazy[*publish.PubSub]
	claims    lazy[claimStore]
	machine   lazy[*claim.Machine]
	runner    lazy[*once.Runner]
	auditing  lazy[audit.Log]
	config    lazy[groups.Config]
	live      lazy[groups.Store]
	tokens    IDTokens
	state     lazy[route.Store]
	router    lazy[*route.Router]
}

// NewApp answers with an App of which nothing is made yet. lifetime ends when handlers
// have to stop.
func NewApp(lifetime context.Context, c setting.Config, log *slog.Logger) (*App, error) {
	if log == nil || lifetime == nil {
		return nil, errors.New("new app: needs a log and a lifetime")
	}
	return &App{Config: c, Log: log, Lifetime: lifetime, Slots: c.Once.Slots}, nil
}

// Firestore is the process's one Firestore client.
func (a *App) Firestore(ctx context.Context) (*firestore.Client, error) {
	return a.fire.get(ctx, func(ctx context.Context) (*firestore.Client, error) {
		c, err := firestore.NewClientWithDatabase(context.WithoutCancel(ctx), a.Config.Process.Project, a.Config.Store.Database)
		if err != nil {
			return nil, fmt.Errorf("connect to Firestore: %w", err)
		}
		return c, nil
	})
}

// PubSub is the process's one Pub/Sub client.
func (a *App) PubSub(ctx context.Context) (*pubsub.Client, error) {
	return a.client.get(ctx, func(ctx context.Context) (*pubsub.Client, error) {
		c, err := pubsub.NewClient(context.WithoutCancel(ctx), a.Config.Process.Project)
		if err != nil {
			return nil, fmt.Errorf("connect to Pub/Sub: %w", err)
		}
		return c, nil
	})
}

// Publisher publishes over PubSub.
func (a *App) Publisher(ctx context.Context) (*publish.PubSub, error) {
	return a.publisher.get(ctx, func(ctx context.Context) (*publish.PubSub, error) {
		c, err := a.PubSub(ctx)
		if err != nil {
			return nil, err
		}
		return publish.NewPubSub(c)
	})
}

// Close closes what was made. Nothing of the App may be in use any more.
func (a *App) Close() error {
	var errs []error
	if a.publisher.made {
		a.publisher.value.Stop()
	}
	if a.client.made {
		errs = append(errs, a.client.value.Close())
	}
	if a.fire.made {
		errs = append(errs, a.fire.value.Close())
	}
	if a.claims.made && a.claims.value.close != nil {
		errs = append(errs, a.claims.value.close())
	}
	bounded, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	errs = append(errs, a.Trace.Close(bounded))
	return errors.Join(errs...)
}

// closing bounds what the end of a process waits for its last spans.
const closing = time.Second
