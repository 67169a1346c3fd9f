package memgroups_test

import (
	"testing"
	"time"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/groups/groupstest"
	"onceway.internal/shared/groups/memgroups"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	groupstest.Run(t, func(*testing.T) groups.Store { return memgroups.New(time.Now) })
}
