package counters

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/codes"

	"onceway.internal/shared/backlog"
)

// Live is the backlog.Source that reads counters alone, in one round trip. Queues
// without a counter are absent. It notes and corrects nothing, so it may be read
// as often as wanted.
type Live struct{ store Store }

// NewLive returns a Live on a store.
func NewLive(s Store) (*Live, error) {
	if s == nil {
		return nil, errors.New("live counters need a store")
	}
	return &Live{store: s}, nil
}

// Read reads the counters of queues. See backlog.Source.
func (l *Live) Read(ctx context.Context, queues []backlog.Queue) backlog.Reading {
	counters, now, err := l.store.Read(ctx, names(queues))
	if err != nil {
		e := failure(err)
		e.Hides = true
		return backlog.Reading{Errors: []*backlog.Error{e}}
	}
	samples := map[backlog.Queue]backlog.Sample{}
	for _, q := range queues {
		if c, ok := counters[Name(q)]; ok {
			samples[q] = sample(c, now)
		}
	}
	return backlog.Reading{Samples: samples}
}

// sample is a counter as a figure: never below zero, true as of the read.
func sample(c Counter, now time.Time) backlog.Sample {
	return backlog.Sample{At: now, Undelivered: max(0, c.Count), Live: true}
}

func names(queues []backlog.Queue) []string {
	all := make([]string, len(queues))
	for i, q := range queues {
		all[i] = Name(q)
	}
	return all
}

// failure describes a store that failed. With a reference behind it no queue lacks its figure for that.
func failure(err error) *backlog.Error {
	code := codes.Unavailable
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		code = codes.DeadlineExceeded
	case errors.Is(err, context.Canceled):
		code = codes.Canceled
	}
	return &backlog.Error{Part: "counters", Code: code, Err: err}
}
