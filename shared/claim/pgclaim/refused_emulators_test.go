//go:build emulators

package pgclaim_test

import (
	"errors"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/pgclaim"
	"onceway.internal/test/servers"
)

// TestWhatWaitingCannotMendIsUnusable: whoever opens a store tries again for what else
// goes wrong.
func TestWhatWaitingCannotMendIsUnusable(t *testing.T) {
	t.Parallel()
	at := func(change func(*url.URL)) string {
		u, err := url.Parse(servers.Postgres(t))
		if err != nil {
			t.Fatal(err)
		}
		change(u)
		return u.String()
	}
	owner := connect(t, "refused")
	if _, err := owner.Exec(t.Context(), `CREATE ROLE guest LOGIN`); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		url   string
		mends bool
	}{
		"no such user":     {at(func(u *url.URL) { u.User = url.User("nobody") }), false},
		"no such database": {at(func(u *url.URL) { u.Path = "/nothing" }), false},
		"no right":         {at(func(u *url.URL) { u.User = url.User("guest") }), false},
		"no such port":     {"postgres://postgres@127.0.0.1:99999/postgres", false},
		"nobody listens":   {at(func(u *url.URL) { u.Host = "127.0.0.1:1" }), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool, err := pgclaim.Open(t.Context(), c.url)
			if err == nil {
				defer pool.Close()
				_, err = pgclaim.New(t.Context(), mustNotOwn(t, pool))
			}
			if err == nil || errors.Is(err, claim.ErrUnusable) == c.mends {
				t.Errorf("opening answered %v", err)
			}
		})
	}
}

// mustNotOwn makes sure that a pool's user has no schema to make tables in.
func mustNotOwn(t *testing.T, pool *pgxpool.Pool) *pgxpool.Pool {
	t.Helper()
	var may bool
	if err := pool.QueryRow(t.Context(), `SELECT has_schema_privilege('public', 'CREATE')`).Scan(&may); err != nil || may {
		t.Fatalf("the user may create tables (%v); the test would prove nothing", err)
	}
	return pool
}
