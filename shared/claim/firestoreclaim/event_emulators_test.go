//go:build emulators

package firestoreclaim_test

import (
	"path"
	"testing"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/once/oncetest"
)

func TestWhatAnEventCosts(t *testing.T) {
	t.Parallel()
	oncetest.Costs(t, oncetest.Meter{
		Write: "Commit", Read: "BatchGetDocuments",
		Open: func(t *testing.T) (claim.Store, func() oncetest.Calls) {
			tap := &wiretap{}
			return open(t, connect(t, tap), claim.NewToken()), func() oncetest.Calls {
				calls := oncetest.Calls{}
				for method, n := range tap.take() {
					calls[path.Base(method)] += n
				}
				return calls
			}
		},
	})
}
