package claimtest_test

import (
	"context"
	"errors"
	"strings"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/claimtest"
	"onceway.internal/shared/claim/memclaim"
)

// bug changes what a store does. Each field that is set takes the place of an operation.
type bug struct {
	caughtBy string
	create   func(ctx context.Context, s *memclaim.Store, r claim.Record) (claim.Stored, error)
	get      func(ctx context.Context, s *memclaim.Store, id string) (claim.Stored, error)
	swap     func(ctx context.Context, s *memclaim.Store, id, version string, r claim.Record) (claim.Stored, error)
	list     func(ctx context.Context, s *memclaim.Store, state claim.State, page string, limit int) ([]claim.Stored, string, error)
}

type buggy struct {
	*memclaim.Store
	bug bug
}

func (b *buggy) Create(ctx context.Context, r claim.Record) (claim.Stored, error) {
	if b.bug.create != nil {
		return b.bug.create(ctx, b.Store, r)
	}
	return b.Store.Create(ctx, r)
}

func (b *buggy) Get(ctx context.Context, id string) (claim.Stored, error) {
	if b.bug.get != nil {
		return b.bug.get(ctx, b.Store, id)
	}
	return b.Store.Get(ctx, id)
}

func (b *buggy) Swap(ctx context.Context, id, version string, r claim.Record) (claim.Stored, error) {
	if b.bug.swap != nil {
		return b.bug.swap(ctx, b.Store, id, version, r)
	}
	return b.Store.Swap(ctx, id, version, r)
}

func (b *buggy) List(ctx context.Context, state claim.State, page string, limit int) ([]claim.Stored, string, error) {
	if b.bug.list != nil {
		return b.bug.list(ctx, b.Store, state, page, limit)
	}
	return b.Store.List(ctx, state, page, limit)
}

// force swaps on whatever version is there.
func force(ctx context.Context, s *memclaim.Store, id string, r claim.Record) (claim.Stored, error) {
	for {
		cur, err := s.Get(ctx, id)
		if err != nil {
			return claim.Stored{}, err
		}
		if got, err := s.Swap(ctx, id, cur.Version, r); !errors.Is(err, claim.ErrConflict) {
			return got, err
		}
	}
}

var planted = map[string]bug{
	"create replaces what is there": {
		caughtBy: "create-leaves-a-present-record-alone",
		create: func(ctx context.Context, s *memclaim.Store, r claim.Record) (claim.Stored, error) {
			if got, err := s.Create(ctx, r); !errors.Is(err, claim.ErrExists) {
				return got, err
			}
			return force(ctx, s, r.ID, r)
		},
	},
	"create looks first and then writes": {
		caughtBy: "fifty-creates-have-one-winner",
		create: func(ctx context.Context, s *memclaim.Store, r claim.Record) (claim.Stored, error) {
			if _, err := s.Get(ctx, r.ID); err == nil {
				return claim.Stored{}, claim.ErrExists
			}
			claimtest.For(20 * time.Millisecond)(ctx) // a round trip, in which the others look too
			if got, err := s.Create(ctx, r); !errors.Is(err, claim.ErrExists) {
				return got, err
			}
			return force(ctx, s, r.ID, r)
		},
	},
	"swap ignores the version": {
		caughtBy: "a-replaced-owner-changes-nothing",
		swap: func(ctx context.Context, s *memclaim.Store, id, _ string, r claim.Record) (claim.Stored, error) {
			return force(ctx, s, id, r)
		},
	},
	"swap compares the owner instead of the version": {
		caughtBy: "every-write-changes-the-version",
		swap: func(ctx context.Context, s *memclaim.Store, id, version string, r claim.Record) (claim.Stored, error) {
			if cur, err := s.Get(ctx, id); err == nil && cur.Owner == r.Owner && cur.Epoch == r.Epoch {
				return force(ctx, s, id, r)
			}
			return s.Swap(ctx, id, version, r)
		},
	},
	"swap creates what is absent": {
		caughtBy: "absent-is-not-found",
		swap: func(ctx context.Context, s *memclaim.Store, id, version string, r claim.Record) (claim.Stored, error) {
			got, err := s.Swap(ctx, id, version, r)
			if errors.Is(err, claim.ErrNotFound) {
				return s.Create(ctx, r)
			}
			return got, err
		},
	},
	"swap merges and leaves old fields": {
		caughtBy: "swap-replaces-the-whole-record",
		swap: func(ctx context.Context, s *memclaim.Store, id, version string, r claim.Record) (claim.Stored, error) {
			if cur, err := s.Get(ctx, id); err == nil && r.Result == nil {
				r.Result = cur.Result
			}
			return s.Swap(ctx, id, version, r)
		},
	},
	"a write that changes little keeps the version": {
		caughtBy: "every-write-changes-the-version",
		swap: func(ctx context.Context, s *memclaim.Store, id, version string, r claim.Record) (claim.Stored, error) {
			cur, err := s.Get(ctx, id)
			if err == nil && cur.Version == version && cur.State == r.State && cur.Owner == r.Owner {
				return cur, nil
			}
			return s.Swap(ctx, id, version, r)
		},
	},
	"texts are made UTF-8": {
		caughtBy: "every-field-comes-back",
		create: func(ctx context.Context, s *memclaim.Store, r claim.Record) (claim.Stored, error) {
			r.Key = strings.ToValidUTF8(r.Key, "\uFFFD")
			return s.Create(ctx, r)
		},
	},
	"an empty result becomes none": {
		caughtBy: "every-field-comes-back",
		get: func(ctx context.Context, s *memclaim.Store, id string) (claim.Stored, error) {
			got, err := s.Get(ctx, id)
			if len(got.Result) == 0 {
				got.Result = nil
			}
			return got, err
		},
	},
	"times are kept in milliseconds": {
		caughtBy: "every-field-comes-back",
		create: func(ctx context.Context, s *memclaim.Store, r claim.Record) (claim.Stored, error) {
			r.CreatedAt = r.CreatedAt.Truncate(time.Millisecond)
			return s.Create(ctx, r)
		},
	},
	"an expired record counts as absent": {
		caughtBy: "past-its-ttl-but-present-still-counts",
		get: func(ctx context.Context, s *memclaim.Store, id string) (claim.Stored, error) {
			got, err := s.Get(ctx, id)
			if err == nil && !got.ExpireAt.IsZero() && got.ExpireAt.Before(time.Now()) {
				return claim.Stored{}, claim.ErrNotFound
			}
			return got, err
		},
	},
	"written is the writer's clock": {
		caughtBy: "store-time-only-goes-forward",
		get: func(ctx context.Context, s *memclaim.Store, id string) (claim.Stored, error) {
			got, err := s.Get(ctx, id)
			got.Written = got.CreatedAt
			return got, err
		},
		swap: func(ctx context.Context, s *memclaim.Store, id, version string, r claim.Record) (claim.Stored, error) {
			got, err := s.Swap(ctx, id, version, r)
			got.Written, got.Now = got.CreatedAt, got.CreatedAt
			return got, err
		},
	},
	"now is the time of the last write": {
		caughtBy: "a-lease-ends-by-store-time",
		get: func(ctx context.Context, s *memclaim.Store, id string) (claim.Stored, error) {
			got, err := s.Get(ctx, id)
			got.Now = got.Written
			return got, err
		},
	},
	"a page loses its last record": {
		caughtBy: "list-pages-without-loss",
		list: func(ctx context.Context, s *memclaim.Store, state claim.State, page string, limit int) ([]claim.Stored, string, error) {
			records, next, err := s.List(ctx, state, page, limit)
			if next != "" {
				records = records[:len(records)-1]
			}
			return records, next, err
		},
	},
	"cancelled calls go on": {
		caughtBy: "a-cancelled-call-returns",
		get: func(ctx context.Context, s *memclaim.Store, id string) (claim.Stored, error) {
			return s.Get(context.WithoutCancel(ctx), id)
		},
	},
	"a full store forgets whatever there is": {
		caughtBy: "a-full-store-forgets-only-done",
		create: func(ctx context.Context, s *memclaim.Store, r claim.Record) (claim.Stored, error) {
			got, err := s.Create(ctx, r)
			if errors.Is(err, claim.ErrFull) {
				s.Restore(memclaim.Snapshot{})
				return s.Create(ctx, r)
			}
			return got, err
		},
	},
}
