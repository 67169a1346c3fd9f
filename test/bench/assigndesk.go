package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
	"onceway.internal/shared/route/firestoreroute"
)

// desk is routing as one process does it, on a connection that counts its calls.
type desk struct {
	client *firestore.Client
	calls  *rpcs
	state  *firestoreroute.Store
	router *route.Router
	ids    *eventIDs
	sample time.Time // every queue was empty then

	assigned, allowed int // what reads and commits are counted against
}

// openDesk has the deployed groups, each with a fresh figure, and the settings that
// Assign has but for time-outs: the emulator on a busy machine is slower than Firestore.
func openDesk(ctx context.Context, root, addr string) (*desk, error) {
	d := &desk{calls: &rpcs{by: map[string]int{}}, ids: newEventIDs()}
	file, err := groups.Load(filepath.Join(root, "infra", "groups.yaml"))
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient(addr, append(d.calls.options(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		return nil, err
	}
	if d.client, err = firestore.NewClient(ctx, project, option.WithGRPCConn(conn)); err != nil {
		return nil, err
	}
	if d.state, err = firestoreroute.New(d.client, firestoreroute.Config{Prefix: rand.Text() + "-", Shards: 4}); err != nil {
		return nil, err
	}
	all := file.InProject(project)
	cfg := route.DefaultConfig(all)
	cfg.ReadTimeout, cfg.CommitTimeout = 30*time.Second, 30*time.Second
	d.router, err = route.New(cfg, route.Deps{
		State: d.state, Now: time.Now, Rand: mathrand.Float64, Token: claim.NewToken, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	return d, d.sampled(ctx, all)
}

func (d *desk) close() { _ = d.client.Close() } // nothing is under way

// sampled gives every queue a figure: empty, as of now.
func (d *desk) sampled(ctx context.Context, c groups.Config) error {
	snap, err := d.state.Read(ctx, time.Now())
	if err != nil {
		return err
	}
	d.sample = snap.At
	f := route.Figures{}
	for _, g := range c.Groups {
		f[g.ID] = map[string]route.Figure{}
		for _, q := range g.Queues {
			f[g.ID][q.Name] = route.Figure{At: snap.At, Checked: snap.At}
		}
	}
	_, err = d.state.PutFigures(ctx, f)
	return err
}

var errNotAssigned = errors.New("a campaign was not assigned and recorded as new")

// assign has the router assign a new campaign.
func (d *desk) assign(ctx context.Context) error {
	a, err := d.router.Assign(ctx, route.Campaign{ID: d.ids.next(), Customer: "acme", Size: 1000})
	if err == nil && (!a.Recorded || a.Repeated || a.Group == "") {
		err = fmt.Errorf("%w: %+v", errNotAssigned, a)
	}
	return err
}

// bare makes an assignment's calls without a router: a record like the router's for
// the groups in turn, and a query where the last is a second old, for which all wait.
func (d *desk) bare(ctx context.Context) (func(context.Context) error, error) {
	model, err := d.router.Assign(ctx, route.Campaign{ID: d.ids.next(), Customer: "acme", Size: 1000})
	if err != nil {
		return nil, err
	}
	all := d.router.Groups().Groups
	began := time.Now()
	var reading sync.Mutex
	var last time.Time
	refresh := func(ctx context.Context) error {
		reading.Lock()
		defer reading.Unlock()
		if time.Since(last) < time.Second {
			return nil
		}
		_, err := d.state.Read(ctx, d.sample)
		last = time.Now()
		return err
	}
	return func(ctx context.Context) error {
		if err := refresh(ctx); err != nil {
			return err
		}
		a := model
		a.Campaign, a.Token = d.ids.next(), claim.NewToken()
		a.At = model.At.Add(time.Since(began))
		a.Group = all[d.ids.last.Load()%int64(len(all))].ID
		_, err := d.state.Commit(ctx, a)
		return err
	}, nil
}
