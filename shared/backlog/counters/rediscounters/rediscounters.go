// Package rediscounters keeps counters in Redis, where workers in any language
// reach them: the counter itself is the plain integer key dg01-personalizer.
// What the comparison with Cloud Monitoring needs stands beside it, under keys
// with the counter's name as their hash tag, so that Redis Cluster keeps the
// three together: {dg01-personalizer}:onceway:notes and …:corrected, with an
// expiry. The counter has none.
package rediscounters

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"onceway.internal/shared/backlog/counters"
)

// Store is a counters.Store on Redis. Its time is Redis' own.
type Store struct{ client redis.UniversalClient }

// New returns a Store on a client, whose time-outs and retries are its own.
func New(client redis.UniversalClient) (*Store, error) {
	if client == nil {
		return nil, errors.New("counters in Redis need a client")
	}
	return &Store{client: client}, nil
}

func notes(name string) string     { return "{" + name + "}:onceway:notes" }
func corrected(name string) string { return "{" + name + "}:onceway:corrected" }

// Add adds to a counter. See counters.Store, for all methods.
func (s *Store) Add(ctx context.Context, name string, n int64) (int64, error) {
	count, err := s.client.IncrBy(ctx, name, n).Result()
	if err != nil {
		return 0, fmt.Errorf("add to counter %s: %w", name, err)
	}
	return count, nil
}

// Read answers with the counters that exist, in one round trip.
func (s *Store) Read(ctx context.Context, names []string) (map[string]counters.Counter, time.Time, error) {
	pipe := s.client.Pipeline()
	now := pipe.Time(ctx)
	counts, kept, mended := make([]*redis.StringCmd, len(names)), make([]*redis.StringSliceCmd, len(names)), make([]*redis.StringCmd, len(names))
	for i, name := range names {
		counts[i] = pipe.Get(ctx, name)
		kept[i] = pipe.LRange(ctx, notes(name), 0, -1)
		mended[i] = pipe.Get(ctx, corrected(name))
	}
	if _, err := pipe.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return nil, time.Time{}, fmt.Errorf("read counters: %w", err)
	}
	found := map[string]counters.Counter{}
	for i, name := range names {
		count, err := counts[i].Int64()
		if errors.Is(err, redis.Nil) {
			continue
		}
		if err != nil {
			return nil, time.Time{}, fmt.Errorf("read counter %s: %w", name, err)
		}
		c := counters.Counter{Count: count}
		if ms, err := mended[i].Int64(); err == nil {
			c.Corrected = time.UnixMilli(ms)
		}
		for _, text := range kept[i].Val() {
			if n, ok := parse(text); ok {
				c.Notes = append(c.Notes, n)
			}
		}
		found[name] = c
	}
	return found, now.Val(), nil
}

// parse reads a note, "milliseconds:count". An unreadable one is as good as none.
func parse(text string) (counters.Note, bool) {
	at, count, _ := strings.Cut(text, ":")
	ms, errAt := strconv.ParseInt(at, 10, 64)
	n, errCount := strconv.ParseInt(count, 10, 64)
	return counters.Note{At: time.UnixMilli(ms), Count: n}, errAt == nil && errCount == nil
}

// Note keeps what was read, in one round trip.
func (s *Store) Note(ctx context.Context, at time.Time, counts map[string]int64) error {
	if len(counts) == 0 {
		return nil
	}
	pipe := s.client.Pipeline()
	for name, n := range counts {
		pipe.LPush(ctx, notes(name), fmt.Sprintf("%d:%d", at.UnixMilli(), n))
		pipe.LTrim(ctx, notes(name), 0, counters.MaxNotes-1)
		pipe.PExpire(ctx, notes(name), counters.KeepNotes)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("note counters: %w", err)
	}
	return nil
}
