package redisclaim

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"onceway.internal/shared/claim"
)

// cursor is the last entry of a page: where it stood in its bucket's index.
type cursor struct {
	bucket int
	score  string // as Redis prints it; "-inf" before the first
	id     string
}

// List implements claim.Lister, bucket by bucket, in each the oldest write first
// (for DONE and DEAD: what expires first).
func (s *Store) List(ctx context.Context, state claim.State, page string, limit int) ([]claim.Stored, string, error) {
	if limit < 1 || limit > 1000 {
		return nil, "", fmt.Errorf("list claims: limit %d is not 1 to 1000", limit)
	}
	at, err := parseCursor(page)
	if err != nil {
		return nil, "", fmt.Errorf("list claims: %w", err)
	}
	records, next, err := s.list(ctx, state, at, limit)
	if err != nil {
		return nil, "", fmt.Errorf("list claims: %w", err)
	}
	return records, next, nil
}

func (s *Store) list(ctx context.Context, state claim.State, at cursor, limit int) ([]claim.Stored, string, error) {
	filled, err := s.filled(ctx, state, at.bucket)
	if err != nil {
		return nil, "", err
	}
	var records []claim.Stored
	for _, b := range filled {
		if b != at.bucket {
			at = cursor{bucket: b, score: "-inf"}
		}
		for {
			room := limit - len(records)
			entries, err := s.entries(ctx, s.keys.state(b, state), at, room)
			if err != nil {
				return nil, "", err
			}
			if len(entries) == 0 {
				break
			}
			found, err := s.read(ctx, entryIDs(entries))
			if err != nil {
				return nil, "", err
			}
			for _, r := range found {
				// An index that a record expired from may hold it still, when it was made anew.
				if r.err != nil || indexed(r.State) == indexed(state) {
					records = append(records, r.Stored)
				}
			}
			last := entries[len(entries)-1]
			at.score, at.id = formatScore(last.Score), last.Member.(string)
			if len(records) == limit {
				return records, at.String(), nil
			}
		}
	}
	return records, "", nil
}

// filled returns the buckets from the given one on that have records in state.
func (s *Store) filled(ctx context.Context, state claim.State, from int) ([]int, error) {
	sizes := make([]*redis.IntCmd, claimBuckets)
	_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for b := from; b < claimBuckets; b++ {
			sizes[b] = p.ZCard(ctx, s.keys.state(b, state))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var filled []int
	for b := from; b < claimBuckets; b++ {
		if sizes[b].Val() > 0 {
			filled = append(filled, b)
		}
	}
	return filled, nil
}

// entries returns up to n entries of an index after the cursor. Entries of one
// score are ordered by ID, so those up to the cursor's are passed over.
func (s *Store) entries(ctx context.Context, index string, after cursor, n int) ([]redis.Z, error) {
	var entries []redis.Z
	for offset := int64(0); len(entries) < n; {
		batch, err := s.client.ZRangeArgsWithScores(ctx, redis.ZRangeArgs{
			Key: index, ByScore: true, Start: after.score, Stop: "+inf", Offset: offset, Count: int64(n),
		}).Result()
		if err != nil {
			return nil, err
		}
		for _, z := range batch {
			if formatScore(z.Score) == after.score && z.Member.(string) <= after.id {
				continue
			}
			entries = append(entries, z)
		}
		if len(batch) < n {
			break
		}
		offset += int64(len(batch))
	}
	return entries[:min(n, len(entries))], nil
}

func entryIDs(entries []redis.Z) []string {
	ids := make([]string, len(entries))
	for i, z := range entries {
		ids[i] = z.Member.(string)
	}
	return ids
}

func formatScore(score float64) string {
	return strings.ToLower(strconv.FormatFloat(score, 'f', -1, 64))
}

// isScore says that Redis takes the text for a bound.
func isScore(text string) bool {
	f, err := strconv.ParseFloat(text, 64)
	return err == nil && !math.IsNaN(f)
}

func (c cursor) String() string { return fmt.Sprintf("%d %s %s", c.bucket, c.score, c.id) }

func parseCursor(page string) (cursor, error) {
	if page == "" {
		return cursor{score: "-inf"}, nil
	}
	parts := strings.SplitN(page, " ", 3)
	if len(parts) != 3 {
		return cursor{}, fmt.Errorf("%w: %q", claim.ErrPage, page)
	}
	b, err := strconv.Atoi(parts[0])
	if err != nil || b < 0 || b >= claimBuckets {
		return cursor{}, fmt.Errorf("%w: %q", claim.ErrPage, page)
	}
	if !isScore(parts[1]) {
		return cursor{}, fmt.Errorf("%w: %q", claim.ErrPage, page)
	}
	return cursor{bucket: b, score: parts[1], id: parts[2]}, nil
}
