//go:build emulators

package pgclaim_test

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/pgclaim"
	"onceway.internal/test/servers"
)

// connect returns a pool whose tables are those of the space, a schema of its own.
func connect(t *testing.T, space string) *pgxpool.Pool {
	t.Helper()
	u, err := url.Parse(servers.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", space)
	q.Set("pool_max_conns", "4")
	u.RawQuery = q.Encode()
	pool, err := pgclaim.Open(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	// Two replicas may make the schema at once, which "if not exists" alone doesn't survive.
	err = pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `SELECT pg_advisory_xact_lock(1)`); err != nil {
			return err
		}
		_, err := tx.Exec(t.Context(), `CREATE SCHEMA IF NOT EXISTS `+pgx.Identifier{space}.Sanitize())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pool
}

func open(t *testing.T, pool *pgxpool.Pool) *pgclaim.Store {
	t.Helper()
	s, err := pgclaim.New(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func create(t *testing.T, s *pgclaim.Store, key string, state claim.State, expire time.Time) claim.Stored {
	t.Helper()
	got, err := s.Create(t.Context(), claim.Record{ID: claim.ID("pg", key), Key: key, State: state, WriteID: claim.NewToken(), Lease: time.Minute, ExpireAt: expire})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestCleanupTakesOnlyWhatIsFinishedAndExpired(t *testing.T) {
	t.Parallel()
	s := open(t, connect(t, "cleanup"))
	past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for _, state := range claim.States {
		for _, key := range []string{"x", "y", "z"} {
			create(t, s, string(state)+" past "+key, state, past)
		}
		create(t, s, string(state)+" future", state, future)
		create(t, s, string(state)+" never", state, time.Time{})
	}
	var batches []int64
	for {
		n, err := s.Cleanup(t.Context(), 4)
		if err != nil {
			t.Fatal(err)
		}
		if batches = append(batches, n); n == 0 {
			break
		}
	}
	if diff := cmp.Diff([]int64{4, 2, 0}, batches); diff != "" {
		t.Errorf("batches (-want +got):\n%s", diff)
	}
	for _, state := range claim.States {
		want := 5
		if state == claim.Done || state == claim.Dead {
			want = 2
		}
		if records, _, err := s.List(t.Context(), state, "", 10); err != nil || len(records) != want {
			t.Errorf("%d %s records are left, want %d: %v", len(records), state, want, err)
		}
	}
	if _, err := s.Cleanup(t.Context(), 0); err == nil {
		t.Error("Cleanup took a limit of 0")
	}
}

func TestManyProcessesMayStartAtOnce(t *testing.T) {
	t.Parallel()
	pools := make([]*pgxpool.Pool, 8)
	for i := range pools {
		pools[i] = connect(t, "start")
	}
	var wg sync.WaitGroup
	for _, pool := range pools {
		wg.Go(func() {
			if _, err := pgclaim.New(t.Context(), pool); err != nil {
				t.Errorf("New: %v", err)
			}
		})
	}
	wg.Wait()
	var applied int
	if err := pools[0].QueryRow(t.Context(), `SELECT count(*) FROM onceway_migrations`).Scan(&applied); err != nil {
		t.Fatal(err)
	}
	if applied != 1 {
		t.Errorf("%d migrations were applied, want 1", applied)
	}
}

// TestListsAndCleanupUseTheirIndexes: without, Sweep would read the whole table
// each minute.
func TestListsAndCleanupUseTheirIndexes(t *testing.T) {
	t.Parallel()
	pool := connect(t, "plans")
	open(t, pool)
	for query, index := range map[string]string{
		pgclaim.ListStateSQL: "onceway_claims_by_state",
		pgclaim.CleanupSQL:   "onceway_claims_by_expiry",
		pgclaim.LettersSQL:   "onceway_letters_by_time",
	} {
		if got := plan(t, pool, query); !strings.Contains(got, index) {
			t.Errorf("the plan does not use %s:\n%s", index, got)
		}
	}
}

// plan asks how the server would run a query whatever its parameters, on a table
// so large that scanning it is out of the question.
func plan(t *testing.T, pool *pgxpool.Pool, query string) string {
	t.Helper()
	var lines []string
	err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off`); err != nil {
			return err
		}
		literal := strings.NewReplacer("($1, $2)", "(clock_timestamp(), 'a')", "LIMIT $1", "LIMIT 10", "$1", "'a'", "$2", "10", "$3", "'RETRY'").Replace(query)
		if strings.Contains(query, "LIMIT $3") {
			literal = strings.Replace(literal, "LIMIT 'RETRY'", "LIMIT 10", 1)
		}
		rows, err := tx.Query(t.Context(), "EXPLAIN "+literal)
		if err != nil {
			return err
		}
		lines, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// TestOneStatementForEachOperation counts what reaches the server.
func TestOneStatementForEachOperation(t *testing.T) {
	t.Parallel()
	pool := connect(t, "statements")
	open(t, pool) // brings the schema up to date, uncounted
	tracer := &counter{}
	config := pool.Config()
	config.ConnConfig.Tracer = tracer
	counted, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(counted.Close)
	s := open(t, counted)
	tracer.n = 0
	v := create(t, s, "a", claim.Claimed, time.Time{})
	if _, err := s.Get(t.Context(), v.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Swap(t.Context(), v.ID, v.Version, v.Record); err != nil {
		t.Fatal(err)
	}
	if tracer.n != 3 {
		t.Errorf("three operations took %d statements", tracer.n)
	}
}

type counter struct{ n int }

func (c *counter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.n++
	return ctx
}

func (c *counter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func TestOpenRefusesBadURLsWithoutPrintingPasswords(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://u:s3cret@host:x/db", "postgres://u:s3cret@127.0.0.1:1/db?sslmode=disable", "s3cret=1"} {
		if _, err := pgclaim.Open(t.Context(), url); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("Open(%q) answered %v", url, err)
		}
	}
}

func TestNewRefusesNoPool(t *testing.T) {
	t.Parallel()
	if _, err := pgclaim.New(t.Context(), nil); err == nil {
		t.Error("New took no pool")
	}
	if _, err := pgclaim.NewLetters(t.Context(), nil); err == nil {
		t.Error("NewLetters took no pool")
	}
}
