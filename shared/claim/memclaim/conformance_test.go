package memclaim_test

import (
	"sync"
	"testing"
	"time"

	"onceway.internal/shared/claim/claimtest"
	"onceway.internal/shared/claim/memclaim"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	spaces := map[string]*memclaim.Store{}
	claimtest.Run(t, claimtest.Harness{
		// In one process, replicas are callers of one store.
		Open: func(t *testing.T, space string) claimtest.Backend {
			mu.Lock()
			defer mu.Unlock()
			if spaces[space] == nil {
				spaces[space] = open(t, 10_000)
			}
			return spaces[space]
		},
		OpenBounded: func(t *testing.T, capacity int) claimtest.Backend { return open(t, capacity) },
	})
}

func open(t *testing.T, capacity int) *memclaim.Store {
	t.Helper()
	s, err := memclaim.New(capacity, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
