package pgclaim

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

//go:embed migrations/*.sql
var embedded embed.FS

// lockID is the advisory lock that one migrating process holds. Any number
// would do, as long as nobody else in the database uses it.
const lockID = 0x6f6e6365776179 // "onceway"

type migration struct {
	version int
	name    string
	sql     string
}

// migrations returns the embedded files in order; their numbers run from 1.
func migrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	var all []migration
	for i, path := range names {
		name := strings.TrimSuffix(strings.TrimPrefix(path, "migrations/"), ".sql")
		number, _, _ := strings.Cut(name, "_")
		if n, err := strconv.Atoi(number); err != nil || n != i+1 {
			return nil, fmt.Errorf("migration %s is not number %d", name, i+1)
		}
		sql, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, err
		}
		all = append(all, migration{version: i + 1, name: name, sql: string(sql)})
	}
	return all, nil
}

// migrate brings the schema up to date in one transaction, so a process that
// dies leaves it as it was. Processes that start together wait for each other.
func migrate(ctx context.Context, pool *pgxpool.Pool, all []migration) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(lockID)); err != nil {
			return fmt.Errorf("lock the schema: %w", err)
		}
		if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS onceway_migrations (
			version int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp())`); err != nil {
			return fmt.Errorf("create the table of migrations: %w", err)
		}
		var have int
		if err := tx.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM onceway_migrations`).Scan(&have); err != nil {
			return fmt.Errorf("read the schema's version: %w", err)
		}
		// A newer schema is left alone: this may be the older half of a rollout.
		for _, m := range all[min(have, len(all)):] {
			if _, err := tx.Exec(ctx, m.sql); err != nil {
				return fmt.Errorf("migrate to %s: %w", m.name, err)
			}
			if _, err := tx.Exec(ctx, `INSERT INTO onceway_migrations (version, name) VALUES ($1, $2)`, m.version, m.name); err != nil {
				return fmt.Errorf("record migration %s: %w", m.name, err)
			}
		}
		return nil
	})
}

// prepare is what both stores do before they serve.
func prepare(ctx context.Context, pool *pgxpool.Pool) error {
	if pool == nil {
		return errors.New("pool is nil")
	}
	all, err := migrations(embedded)
	if err != nil {
		return err
	}
	return migrate(ctx, pool, all)
}
