package firestoreclaim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"onceway.internal/shared/letter"
)

// List implements letter.Store, newest first. A letter whose head can't be read
// comes with its ID alone.
func (s *Letters) List(ctx context.Context, page string, limit int) ([]letter.Letter, string, error) {
	if limit < 1 || limit > 1000 {
		return nil, "", fmt.Errorf("list letters: limit %d is not 1 to 1000", limit)
	}
	q := s.letters.Select("head", "storedAt").
		OrderBy("storedAt", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc)
	if page != "" {
		at, id, err := parsePage(page)
		if err != nil {
			return nil, "", fmt.Errorf("list letters: %w", err)
		}
		q = q.StartAfter(at, id)
	}
	var letters []letter.Letter
	it := q.Limit(limit).Documents(ctx)
	defer it.Stop()
	for {
		snap, err := it.Next()
		if errors.Is(err, iterator.Done) {
			break
		}
		if page != "" && status.Code(err) == codes.InvalidArgument {
			return nil, "", fmt.Errorf("list letters: %w: %w", letter.ErrPage, err)
		}
		if err != nil {
			return nil, "", fmt.Errorf("list letters: %w", err)
		}
		l, _ := readHead(snap)
		letters = append(letters, l)
	}
	if len(letters) < limit {
		return letters, "", nil
	}
	last := letters[limit-1]
	return letters, last.StoredAt.UTC().Format(time.RFC3339Nano) + " " + last.ID, nil
}

func parsePage(page string) (at time.Time, id string, err error) {
	stamp, id, _ := strings.Cut(page, " ")
	at, err = time.Parse(time.RFC3339Nano, stamp)
	if err != nil || id == "" || strings.Contains(id, "/") || !utf8.ValidString(id) {
		return time.Time{}, "", fmt.Errorf("%w: %q", letter.ErrPage, page)
	}
	return at, id, nil
}
