package pgclaim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onceway.internal/shared/claim/stored"
	"onceway.internal/shared/letter"
)

// Letters implements letter.Store.
type Letters struct {
	pool *pgxpool.Pool
}

var _ letter.Store = (*Letters)(nil)

// NewLetters brings the schema up to date and returns a store. The pool stays
// the caller's to close.
func NewLetters(ctx context.Context, pool *pgxpool.Pool) (*Letters, error) {
	if err := prepare(ctx, pool); err != nil {
		return nil, fmt.Errorf("open PostgreSQL letter store: %w", err)
	}
	return &Letters{pool: pool}, nil
}

const putLetter = `
INSERT INTO onceway_letters (id, stored_at, head, data) VALUES ($1, clock_timestamp(), $2, $3)
ON CONFLICT (id) DO UPDATE SET stored_at = excluded.stored_at, head = excluded.head, data = excluded.data`

// Put implements letter.Store.
func (s *Letters) Put(ctx context.Context, l letter.Letter) error {
	head, err := stored.EncodeLetter(l)
	if err != nil {
		return fmt.Errorf("put letter: %w", err)
	}
	data := l.Data
	if data == nil {
		data = []byte{} // nil would be NULL
	}
	if _, err := s.pool.Exec(ctx, putLetter, l.ID, string(head), data); err != nil {
		return fmt.Errorf("put letter: %w", err)
	}
	return nil
}

// Get implements letter.Store.
func (s *Letters) Get(ctx context.Context, id string) (letter.Letter, error) {
	var at time.Time
	var head string
	var data []byte
	err := s.pool.QueryRow(ctx, `SELECT stored_at, head::text, data FROM onceway_letters WHERE id = $1`, id).Scan(&at, &head, &data)
	if errors.Is(err, pgx.ErrNoRows) {
		return letter.Letter{}, letter.ErrNotFound
	}
	if err != nil {
		return letter.Letter{}, fmt.Errorf("get letter: %w", err)
	}
	l, err := stored.DecodeLetter(id, []byte(head))
	l.StoredAt, l.Data = at.UTC(), data
	return l, err
}

const listLetters = `
SELECT id, stored_at, head::text FROM onceway_letters
WHERE (stored_at, id) < ($1, $2) ORDER BY stored_at DESC, id DESC LIMIT $3`

// List implements letter.Store, newest first. A letter whose head can't be read
// comes with its ID alone.
func (s *Letters) List(ctx context.Context, page string, limit int) ([]letter.Letter, string, error) {
	if limit < 1 || limit > 1000 {
		return nil, "", fmt.Errorf("list letters: limit %d is not 1 to 1000", limit)
	}
	before, id, err := parsePage(page)
	if err != nil {
		return nil, "", fmt.Errorf("list letters: %w", err)
	}
	rows, err := s.pool.Query(ctx, listLetters, before, id, limit)
	if err != nil {
		return nil, "", fmt.Errorf("list letters: %w", err)
	}
	letters, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (letter.Letter, error) {
		var id, head string
		var at time.Time
		if err := row.Scan(&id, &at, &head); err != nil {
			return letter.Letter{}, err
		}
		l, _ := stored.DecodeLetter(id, []byte(head))
		l.StoredAt = at.UTC()
		return l, nil
	})
	if err != nil {
		return nil, "", fmt.Errorf("list letters: %w", err)
	}
	if len(letters) < limit {
		return letters, "", nil
	}
	last := letters[limit-1]
	return letters, last.StoredAt.Format(time.RFC3339Nano) + " " + last.ID, nil
}

// parsePage reads the time and ID of the last letter before; the first page
// begins at a time that no letter has.
func parsePage(page string) (before time.Time, id string, err error) {
	if page == "" {
		return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), "", nil
	}
	stamp, id, ok := strings.Cut(page, " ")
	before, err = time.Parse(time.RFC3339Nano, stamp)
	if !ok || err != nil || !utf8.ValidString(id) || strings.Contains(id, "\x00") {
		return time.Time{}, "", fmt.Errorf("%w: %q", letter.ErrPage, page)
	}
	return before, id, nil
}

// Delete implements letter.Store.
func (s *Letters) Delete(ctx context.Context, id string) error {
	if _, err := s.pool.Exec(ctx, `DELETE FROM onceway_letters WHERE id = $1`, id); err != nil {
		return fmt.Errorf("delete letter: %w", err)
	}
	return nil
}
