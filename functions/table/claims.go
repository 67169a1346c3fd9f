package table

import (
	"context"
	"fmt"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/firestoreclaim"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
	"onceway.internal/shared/setting"
	"onceway.internal/shared/settle"
)

// claimStore is a backend, whichever it is.
type claimStore struct {
	claim.Store
	claim.Lister
	letters letter.Store
	close   func() error
}

func (a *App) claimStore(ctx context.Context) (claimStore, error) {
	return a.claims.get(ctx, func(ctx context.Context) (claimStore, error) {
		s, err := a.openClaims(context.WithoutCancel(ctx))
		if err != nil {
			return s, fmt.Errorf("open claim store %s: %w", a.Config.Store.Claims, err)
		}
		return s, nil
	})
}

func (a *App) openClaims(ctx context.Context) (claimStore, error) {
	s := a.Config.Store
	switch s.Claims {
	case setting.Firestore:
		return a.openFirestore(ctx)
	case setting.Memory:
		return openMemory(s)
	}
	return claimStore{}, fmt.Errorf("unknown backend %q", s.Claims)
}

func (a *App) openFirestore(ctx context.Context) (claimStore, error) {
	c, err := a.Firestore(ctx)
	if err != nil {
		return claimStore{}, err
	}
	store, err := firestoreclaim.New(c, a.Config.Store.Prefix)
	if err != nil {
		return claimStore{}, err
	}
	letters, err := firestoreclaim.NewLetters(c, a.Config.Store.Prefix)
	return claimStore{Store: store, Lister: store, letters: letters}, err
}

func openMemory(s setting.Store) (claimStore, error) {
	store, err := memclaim.New(s.Capacity, time.Now)
	if err != nil {
		return claimStore{}, err
	}
	letters, err := memclaim.NewLetters(s.Capacity, time.Now)
	return claimStore{Store: store, Lister: store, letters: letters}, err
}

// Claims is the process's one state machine.
func (a *App) Claims(ctx context.Context) (*claim.Machine, error) {
	return a.machine.get(ctx, func(ctx context.Context) (*claim.Machine, error) {
		s, err := a.claimStore(ctx)
		if err != nil {
			return nil, err
		}
		o := a.Config.Once
		return claim.NewMachine(claim.Config{
			Store: s, Clock: clock.System{},
			Lease: o.Lease, TTL: a.Config.TTL(), SettleAfter: o.SettleAfter, MaxAttempts: o.MaxAttempts,
			StoreTimeout: o.StoreTimeout, FinishBudget: o.FinishBudget,
		})
	})
}

// Runner is the process's one runner: its slots are the process's.
func (a *App) Runner(ctx context.Context) (*once.Runner, error) {
	return a.runner.get(ctx, func(ctx context.Context) (*once.Runner, error) {
		m, err := a.Claims(ctx)
		if err != nil {
			return nil, err
		}
		p, err := a.Publisher(ctx)
		if err != nil {
			return nil, err
		}
		o := a.Config.Once
		c := once.Config{
			Claims: m, Clock: clock.System{}, Log: a.Log, Lifetime: a.Lifetime, Observe: a.Observe,
			DeadLetters:    letter.Topic{Publisher: p, Name: a.Config.Full("topics", a.Config.Letters.Topic)},
			HandlerTimeout: o.HandlerTimeout, AckDeadline: o.AckDeadline, Margin: o.Margin,
			PublishTimeout: o.StoreTimeout, WaitBound: o.Wait, WaitPoll: o.Poll, Slots: a.Slots, CacheSize: o.Cache,
			RepeatableOnly: a.Config.Store.Claims == setting.Memory && !a.Config.Process.Local,
		}
		if a.Pull {
			c.AckDeadline, c.Heartbeat = 0, a.Config.Worker.Heartbeat
		}
		return once.NewRunner(c)
	})
}

// Settler settles claims and letters; verifiers answer for parked ones.
func (a *App) Settler(ctx context.Context, verifiers ...once.Verifier) (*settle.Settler, error) {
	m, err := a.Claims(ctx)
	if err != nil {
		return nil, err
	}
	s, err := a.claimStore(ctx)
	if err != nil {
		return nil, err
	}
	p, err := a.Publisher(ctx)
	if err != nil {
		return nil, err
	}
	w := a.Config.Sweep
	return settle.New(settle.Config{
		Claims: m, Lister: s, Letters: s.letters, Publisher: p, Topics: p, Verifiers: verifiers,
		Horizon: w.Horizon, VerifyTimeout: w.VerifyTimeout, Pages: w.Pages,
	})
}

// Lister lists claims for people.
func (a *App) Lister(ctx context.Context) (claim.Lister, error) { return a.claimStore(ctx) }

// Letters is the store of dead letters.
func (a *App) Letters(ctx context.Context) (letter.Store, error) {
	s, err := a.claimStore(ctx)
	return s.letters, err
}
