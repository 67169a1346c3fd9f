package table

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/audit/firestoreaudit"
	"onceway.internal/shared/audit/memaudit"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/groups/firestoregroups"
	"onceway.internal/shared/groups/memgroups"
	"onceway.internal/shared/route"
	"onceway.internal/shared/route/firestoreroute"
	"onceway.internal/shared/route/memroute"
	"onceway.internal/shared/setting"
)

// auditEntries is what the memory log keeps.
const auditEntries = 10_000

// ledgerShards spreads each group's ledger bucket over documents: about this many
// campaigns a second for each group.
const ledgerShards = 4

// Audit is the log of who changed what.
func (a *App) Audit(ctx context.Context) (audit.Log, error) {
	return a.auditing.get(ctx, func(ctx context.Context) (audit.Log, error) {
		if a.Config.Store.State == setting.Memory {
			return memaudit.New(auditEntries)
		}
		c, err := a.Firestore(ctx)
		if err != nil {
			return nil, err
		}
		return firestoreaudit.New(c, a.Config.Store.Prefix+"audit")
	})
}

// Groups are the distribution groups as the file defines them.
func (a *App) Groups(ctx context.Context) (groups.Config, error) {
	return a.config.get(ctx, func(context.Context) (groups.Config, error) {
		c, err := groups.Load(a.Config.Routing.Groups)
		if err != nil {
			return c, err
		}
		return c.InProject(a.Config.Process.Project), nil
	})
}

// Live is the groups' live state: reservations and draining.
func (a *App) Live(ctx context.Context) (groups.Store, error) {
	return a.live.get(ctx, func(ctx context.Context) (groups.Store, error) {
		if a.Config.Store.State == setting.Memory {
			return memgroups.New(time.Now), nil
		}
		c, err := a.Firestore(ctx)
		if err != nil {
			return nil, err
		}
		return firestoregroups.New(c, a.Config.Store.Prefix)
	})
}

// State is what routing remembers.
func (a *App) State(ctx context.Context) (route.Store, error) {
	return a.state.get(ctx, func(ctx context.Context) (route.Store, error) {
		if a.Config.Store.State == setting.Memory {
			live, err := a.Live(ctx)
			if err != nil {
				return nil, err
			}
			return memroute.New(live, time.Now)
		}
		c, err := a.Firestore(ctx)
		if err != nil {
			return nil, err
		}
		return firestoreroute.New(c, firestoreroute.Config{Prefix: a.Config.Store.Prefix, Shards: ledgerShards})
	})
}

// Router is the process's one router: it counts its own choices before the store does.
func (a *App) Router(ctx context.Context) (*route.Router, error) {
	return a.router.get(ctx, func(ctx context.Context) (*route.Router, error) {
		g, err := a.Groups(ctx)
		if err != nil {
			return nil, err
		}
		state, err := a.State(ctx)
		if err != nil {
			return nil, err
		}
		c := route.DefaultConfig(g)
		c.Period = a.Config.Routing.Period
		c.Settings.Policy, c.Settings.Mode = route.Policy(a.Config.Routing.Policy), route.Mode(a.Config.Routing.Mode)
		r, err := route.New(c, route.Deps{State: state, Now: time.Now, Rand: rand.Float64, Token: claim.NewToken, Log: a.Log})
		if err != nil {
			return nil, fmt.Errorf("make router: %w", err)
		}
		return r, nil
	})
}

// Book makes people's changes to the live state, audited as having come through via.
func (a *App) Book(ctx context.Context, via audit.Via) (*groups.Book, error) {
	g, err := a.Groups(ctx)
	if err != nil {
		return nil, err
	}
	live, err := a.Live(ctx)
	if err != nil {
		return nil, err
	}
	log, err := a.Audit(ctx)
	if err != nil {
		return nil, err
	}
	return groups.NewBook(g, live, audit.Changes{Log: log, Via: via, Now: time.Now})
}
