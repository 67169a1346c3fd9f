package pgclaim

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Open connects to a URL such as
// postgres://user:password@host:5432/onceway?sslmode=verify-full. Parameters of
// pgxpool, such as pool_max_conns, may follow. The caller closes the pool.
func Open(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("open PostgreSQL: the URL can't be parsed") // the cause could print the password
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	return pool, nil
}
