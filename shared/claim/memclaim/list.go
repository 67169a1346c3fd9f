package memclaim

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"onceway.internal/shared/claim"
)

// List implements claim.Lister, oldest write first. A page ends with the number
// of its last write, so records that change meanwhile move to a later page and
// none is passed over. State "" lists records in a state that is none.
func (s *Store) List(ctx context.Context, state claim.State, page string, limit int) ([]claim.Stored, string, error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	after, err := listFrom(page, limit, claim.ErrPage)
	if err != nil {
		return nil, "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.content.after(state, after)
	var next string
	if len(found) > limit {
		found = found[:limit]
		next = strconv.FormatUint(found[limit-1].seq, 10)
	}
	now := s.content.tick(s.now())
	records := make([]claim.Stored, len(found))
	for i, e := range found {
		records[i] = e.stored(now)
	}
	return records, next, nil
}

func (c *content) after(state claim.State, seq uint64) []*entry {
	var found []*entry
	for _, e := range c.entries {
		if e.seq > seq && (e.record.State == state || state == "" && !e.record.State.Known()) {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b *entry) int { return int(a.seq) - int(b.seq) })
	return found
}

func listFrom(page string, limit int, noPage error) (after uint64, err error) {
	if limit < 1 || limit > 1000 {
		return 0, fmt.Errorf("list in memory: limit %d is not 1 to 1000", limit)
	}
	if page == "" {
		return 0, nil
	}
	if after, err = strconv.ParseUint(page, 10, 64); err != nil {
		return 0, fmt.Errorf("list in memory: %w: %q", noPage, page)
	}
	return after, nil
}
