package settle

import (
	"context"
	"errors"
	"testing"
)

// expired is a store with claims to clean.
type expired struct {
	left int64
	err  error
}

func (e *expired) Cleanup(_ context.Context, limit int) (int64, error) {
	n := min(e.left, int64(limit))
	e.left -= n
	return n, e.err
}

func TestSweepCleansWithinItsBoundAndSaysWhatIsLeft(t *testing.T) {
	t.Parallel()
	down := errors.New("down")
	for name, tc := range map[string]struct {
		store   expired
		cleaned int64
		cut     bool
	}{
		"nothing":        {expired{}, 0, false},
		"less than any":  {expired{left: pageSize + 1}, pageSize + 1, false},
		"over the bound": {expired{left: 10 * pageSize}, 3 * pageSize, true},
		"store is down":  {expired{err: down}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &Settler{c: Config{Cleaner: &tc.store, Pages: 3}}
			var sum Summary
			if err := s.clean(t.Context(), &sum); !errors.Is(err, tc.store.err) {
				t.Errorf("error = %v, want %v", err, tc.store.err)
			}
			if sum.Cleaned != tc.cleaned || sum.Cut != tc.cut {
				t.Errorf("cleaned %d, cut %v; want %d, %v", sum.Cleaned, sum.Cut, tc.cleaned, tc.cut)
			}
		})
	}
}
