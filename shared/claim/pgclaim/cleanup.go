package pgclaim

import (
	"context"
	"fmt"
)

const cleanup = `
DELETE FROM onceway_claims WHERE id IN (
	SELECT id FROM onceway_claims
	WHERE expire_at < clock_timestamp() AND state IN ('DONE', 'DEAD')
	ORDER BY expire_at LIMIT $1 FOR UPDATE SKIP LOCKED)`

// Cleanup deletes up to limit expired DONE and DEAD records, the longest expired
// first, and tells how many. Several processes may clean at once. Call it again
// while it deletes as many as it may.
func (s *Store) Cleanup(ctx context.Context, limit int) (deleted int64, err error) {
	if limit < 1 {
		return 0, fmt.Errorf("clean up claims: limit %d is below 1", limit)
	}
	tag, err := s.pool.Exec(ctx, cleanup, limit)
	if err != nil {
		return 0, fmt.Errorf("clean up claims: %w", err)
	}
	return tag.RowsAffected(), nil
}
