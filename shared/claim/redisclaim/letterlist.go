package redisclaim

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"onceway.internal/shared/letter"
)

// List implements letter.Store, newest first over all buckets. A letter that
// can't be read comes with its ID alone; one that is deleted meanwhile is left out.
func (s *Letters) List(ctx context.Context, page string, limit int) ([]letter.Letter, string, error) {
	if limit < 1 || limit > 1000 {
		return nil, "", fmt.Errorf("list letters: limit %d is not 1 to 1000", limit)
	}
	newest, next, err := s.newest(ctx, page, limit)
	if err != nil {
		return nil, "", fmt.Errorf("list letters: %w", err)
	}
	heads := make([]*redis.SliceCmd, len(newest))
	_, err = s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, z := range newest {
			heads[i] = p.HMGet(ctx, s.keys.letter(z.Member.(string)), "at", "head")
		}
		return nil
	})
	if err != nil {
		return nil, "", fmt.Errorf("list letters: %w", err)
	}
	var letters []letter.Letter
	for i, z := range newest {
		if fields := heads[i].Val(); fields[0] != nil {
			l, _ := decodeHead(z.Member.(string), fields)
			letters = append(letters, l)
		}
	}
	return letters, next, nil
}

// newest merges the buckets. No two letters of a bucket have one time, so one
// more than the page holds is enough from each.
func (s *Letters) newest(ctx context.Context, page string, limit int) ([]redis.Z, string, error) {
	top, id, paged := strings.Cut(page, " ")
	if page == "" {
		top = "+inf"
	} else if !paged || !isScore(top) {
		return nil, "", fmt.Errorf("%w: %q", letter.ErrPage, page)
	}
	batches := make([]*redis.ZSliceCmd, letterBuckets)
	_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for b := range batches {
			batches[b] = p.ZRangeArgsWithScores(ctx, redis.ZRangeArgs{
				Key: s.keys.stored(b), ByScore: true, Rev: true, Start: top, Stop: "-inf", Count: int64(limit) + 1,
			})
		}
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	var all []redis.Z
	for _, b := range batches {
		for _, z := range b.Val() {
			if formatScore(z.Score) != top || z.Member.(string) < id {
				all = append(all, z)
			}
		}
	}
	slices.SortFunc(all, func(a, b redis.Z) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(b.Member.(string), a.Member.(string)))
	})
	if len(all) <= limit {
		return all, "", nil
	}
	last := all[limit-1]
	return all[:limit], formatScore(last.Score) + " " + last.Member.(string), nil
}
