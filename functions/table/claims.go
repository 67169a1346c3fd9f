package table

import (
	"context"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/once"
	"onceway.internal/shared/setting"
	"onceway.internal/shared/settle"
)

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
		o := a.Config.Once
		c := once.Config{
			Claims: m, Clock: clock.System{}, Log: a.Log, Lifetime: a.Lifetime, Observe: a.Observe,
			DeadLetters:    letter.Topic{Publisher: latePublisher{a}, Name: a.Config.Full("topics", a.Config.Letters.Topic)},
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
	p := latePublisher{a}
	w := a.Config.Sweep
	return settle.New(settle.Config{
		Claims: m, Lister: s, Letters: s.letters, Publisher: p, Topics: p, Verifiers: verifiers, Cleaner: s.cleaner,
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
