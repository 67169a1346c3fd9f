package pgclaim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onceway.internal/shared/claim"
)

// connectTimeout bounds one attempt to connect, unless the URL has a connect_timeout.
const connectTimeout = 5 * time.Second

// Open connects to a URL such as
// postgres://user:password@host:5432/onceway?sslmode=verify-full. Parameters of
// pgxpool, such as pool_max_conns, may follow. The caller closes the pool. What
// waiting can't mend is claim.ErrUnusable.
func Open(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w: the URL can't be parsed", claim.ErrUnusable) // the cause could print the password
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open PostgreSQL: %w", lasting(err))
	}
	return pool, nil
}

// lasting marks what the server refuses for good, by the classes of its codes: who we
// are (28), a database (3D) or schema (3F) that is not there, a right that is missing (42).
func lasting(err error) error {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	if ok && len(answer.Code) == 5 && slices.Contains([]string{"28", "3D", "3F", "42"}, answer.Code[:2]) {
		return fmt.Errorf("%w: %w", claim.ErrUnusable, err)
	}
	return err
}
