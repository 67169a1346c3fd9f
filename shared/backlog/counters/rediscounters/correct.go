package rediscounters

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"onceway.internal/shared/backlog/counters"
)

// correct adds ARGV[1] to the counter KEYS[1], unless KEYS[2] says that it was
// corrected at ARGV[2] or later. It is one script, so that of two readers with
// one figure one alone corrects, and nothing counted meanwhile is lost.
var correct = redis.NewScript(`
if tonumber(redis.call('GET', KEYS[2]) or '-1') >= tonumber(ARGV[2]) then return 0 end
local t = redis.call('TIME')
redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('SET', KEYS[2], string.format('%d', t[1] * 1000 + math.floor(t[2] / 1000)), 'PX', ARGV[3])
return 1`)

// create sets the counter KEYS[1] to ARGV[1] where it is absent.
var create = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local t = redis.call('TIME')
redis.call('SET', KEYS[1], ARGV[1])
redis.call('SET', KEYS[2], string.format('%d', t[1] * 1000 + math.floor(t[2] / 1000)), 'PX', ARGV[2])
return 1`)

// Correct adds to a counter once for a figure.
func (s *Store) Correct(ctx context.Context, name string, by int64, sampled time.Time) (bool, error) {
	done, err := correct.Run(ctx, s.client, []string{name, corrected(name)},
		by, sampled.UnixMilli(), counters.KeepNotes.Milliseconds()).Bool()
	if err != nil {
		return false, fmt.Errorf("correct counter %s: %w", name, err)
	}
	return done, nil
}

// Create sets a counter that is absent.
func (s *Store) Create(ctx context.Context, name string, count int64) (bool, error) {
	done, err := create.Run(ctx, s.client, []string{name, corrected(name)}, count, counters.KeepNotes.Milliseconds()).Bool()
	if err != nil {
		return false, fmt.Errorf("create counter %s: %w", name, err)
	}
	return done, nil
}
