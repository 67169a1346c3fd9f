package memroute_test

import (
	"testing"
	"time"

	"onceway.internal/shared/groups/memgroups"
	"onceway.internal/shared/route/memroute"
	"onceway.internal/shared/route/routetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	routetest.Run(t, func(t *testing.T) routetest.Harness {
		live := memgroups.New(time.Now)
		s, err := memroute.New(live, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return routetest.Harness{Route: s, Groups: live}
	})
}
