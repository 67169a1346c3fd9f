package table

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/firestoreclaim"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/claim/pgclaim"
	"onceway.internal/shared/claim/redisclaim"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/setting"
	"onceway.internal/shared/settle"
)

// claimStore is a backend, whichever it is.
type claimStore struct {
	claim.Store
	claim.Lister
	letters letter.Store
	cleaner settle.Cleaner // nil where the store forgets by itself
	close   func() error
}

// Reach answers nil once the claim store has answered, and else with an error that is
// claim.ErrUnusable where it is no use to wait. ctx bounds opening it, too.
func (a *App) Reach(ctx context.Context) error {
	s, err := a.openedClaims(ctx)
	if err != nil {
		return err
	}
	answered := make(chan error, 1) // some clients notice the end of ctx late
	go func() {
		_, err := s.Get(ctx, claim.ID("", ""))
		answered <- err
	}()
	select {
	case err = <-answered:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err == nil || errors.Is(err, claim.ErrNotFound) {
		return nil
	}
	return fmt.Errorf("reach claim store %s: %w", a.Config.Store.Claims, err)
}

func (a *App) claimStore(ctx context.Context) (claimStore, error) {
	return a.openedClaims(context.WithoutCancel(ctx))
}

func (a *App) openedClaims(ctx context.Context) (claimStore, error) {
	return a.claims.get(ctx, func(ctx context.Context) (claimStore, error) {
		s, err := a.openClaims(ctx)
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
	case setting.Redis:
		return openRedis(s)
	case setting.Postgres:
		return openPostgres(ctx, s)
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

func openRedis(s setting.Store) (claimStore, error) {
	client, err := redisclaim.Open(s.Redis.Reveal())
	if err != nil {
		return claimStore{}, err
	}
	store, err := redisclaim.New(client, s.Prefix)
	if err != nil {
		return claimStore{}, err
	}
	letters, err := redisclaim.NewLetters(client, s.Prefix)
	return claimStore{Store: store, Lister: store, letters: letters, close: client.Close}, err
}

// openPostgres brings the schema up to date; only one process at a time does.
func openPostgres(ctx context.Context, s setting.Store) (claimStore, error) {
	pool, err := pgclaim.Open(ctx, s.Postgres.Reveal())
	if err != nil {
		return claimStore{}, err
	}
	store, err := pgclaim.New(ctx, pool)
	var letters *pgclaim.Letters
	if err == nil {
		letters, err = pgclaim.NewLetters(ctx, pool)
	}
	if err != nil {
		pool.Close()
		return claimStore{}, err
	}
	closed := func() error { pool.Close(); return nil }
	return claimStore{Store: store, Lister: store, letters: letters, cleaner: store, close: closed}, nil
}

func openMemory(s setting.Store) (claimStore, error) {
	store, err := memclaim.New(s.Capacity, time.Now)
	if err != nil {
		return claimStore{}, err
	}
	letters, err := memclaim.NewLetters(s.Capacity, time.Now)
	return claimStore{Store: store, Lister: store, letters: letters}, err
}
