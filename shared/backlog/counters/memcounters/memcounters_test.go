package memcounters_test

import (
	"strings"
	"testing"
	"time"

	"onceway.internal/shared/backlog/counters/counterstest"
	"onceway.internal/shared/backlog/counters/memcounters"
)

func TestStoreKeepsWhatCountersNeed(t *testing.T) {
	t.Parallel()
	s, err := memcounters.New(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	counterstest.Run(t, s, func(t *testing.T) string { return strings.ReplaceAll(t.Name(), "/", "-") })
}
