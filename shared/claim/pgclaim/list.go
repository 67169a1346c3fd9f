package pgclaim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"onceway.internal/shared/claim"
)

// The index holds every state but DONE, which the second query says so that the
// planner sees it. DONE goes by the primary key.
const (
	listDone = `SELECT version, written_at, clock_timestamp(), record::text, id FROM onceway_claims
		WHERE state = 'DONE' AND id > $1 ORDER BY id LIMIT $2`
	listState = `SELECT version, written_at, clock_timestamp(), record::text, id FROM onceway_claims
		WHERE state = $3 AND state <> 'DONE' AND id > $1 ORDER BY id LIMIT $2`
)

// List implements claim.Lister, by ID.
func (s *Store) List(ctx context.Context, state claim.State, page string, limit int) ([]claim.Stored, string, error) {
	if limit < 1 || limit > 1000 {
		return nil, "", fmt.Errorf("list claims: limit %d is not 1 to 1000", limit)
	}
	if !utf8.ValidString(page) || strings.Contains(page, "\x00") { // no text to PostgreSQL
		return nil, "", fmt.Errorf("list claims: %w: %q", claim.ErrPage, page)
	}
	query, args := listState, []any{page, limit, word(state)}
	if state == claim.Done {
		query, args = listDone, args[:2]
	}
	rows, err := s.pool.Query(ctx, query, args...)
	if err != nil {
		return nil, "", fmt.Errorf("list claims: %w", err)
	}
	records, err := pgx.CollectRows(rows, listed)
	if err != nil {
		return nil, "", fmt.Errorf("list claims: %w", err)
	}
	if len(records) < limit {
		return records, "", nil
	}
	return records, records[limit-1].ID, nil
}

func listed(row pgx.CollectableRow) (claim.Stored, error) {
	var id string
	s, err := scan(withID{row: row, id: &id}, "")
	s.ID = id
	if errors.Is(err, claim.ErrUnreadable) { // listed by its ID
		err = nil
	}
	return s, err
}

// withID scans one column more than scan asks for: the ID.
type withID struct {
	row pgx.Row
	id  *string
}

func (w withID) Scan(dest ...any) error { return w.row.Scan(append(dest, w.id)...) }
