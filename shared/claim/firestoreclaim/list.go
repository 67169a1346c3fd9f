package firestoreclaim

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"

	"onceway.internal/shared/claim"
)

// List implements claim.Lister, by document name: that needs no index of its
// own. State "" lists the documents whose state is no state.
func (s *Store) List(ctx context.Context, state claim.State, page string, limit int) ([]claim.Stored, string, error) {
	if limit < 1 || limit > 1000 {
		return nil, "", fmt.Errorf("list claims: limit %d is not 1 to 1000", limit)
	}
	q, err := s.query(ctx, state, page)
	if err != nil {
		return nil, "", fmt.Errorf("list claims: %w", err)
	}
	var records []claim.Stored
	it := q.Limit(limit).Documents(ctx)
	defer it.Stop()
	for {
		snap, err := it.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		if err != nil {
			return nil, "", fmt.Errorf("list claims: %w", err)
		}
		r, _ := read(snap) // an unreadable one is listed by its ID
		records = append(records, r)
	}
	if len(records) < limit {
		return records, "", nil
	}
	return records, records[limit-1].ID, nil
}

func (s *Store) query(ctx context.Context, state claim.State, page string) (firestore.Query, error) {
	if state != "" {
		q := s.claims.Where("state", "==", string(state)).OrderBy(firestore.DocumentID, firestore.Asc)
		if page != "" {
			q = q.StartAfter(page)
		}
		return q, nil
	}
	known := make([]string, len(claim.States))
	for i, st := range claim.States {
		known[i] = string(st)
	}
	q := s.claims.Where("state", "not-in", known).OrderBy("state", firestore.Asc)
	if page == "" {
		return q, nil
	}
	// The value to start after can be anything, so it is read from the document.
	last, err := s.claims.Doc(page).Get(ctx)
	if err != nil {
		return q, fmt.Errorf("find where the page starts: %w", err)
	}
	return q.StartAfter(last), nil
}
