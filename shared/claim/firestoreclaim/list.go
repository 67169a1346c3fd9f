package firestoreclaim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

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
		if page != "" && status.Code(err) == codes.InvalidArgument { // reserved IDs such as "__a__", long ones
			return nil, "", fmt.Errorf("list claims: %w: %w", claim.ErrPage, err)
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
	if strings.Contains(page, "/") || !utf8.ValidString(page) { // no document's ID
		return firestore.Query{}, fmt.Errorf("%w: %q", claim.ErrPage, page)
	}
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
	if code := status.Code(err); code == codes.NotFound || code == codes.InvalidArgument {
		return q, fmt.Errorf("%w: %w", claim.ErrPage, err)
	}
	if err != nil {
		return q, fmt.Errorf("find where the page starts: %w", err)
	}
	return q.StartAfter(last), nil
}
