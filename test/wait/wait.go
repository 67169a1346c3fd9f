// Package wait lets tests wait for what must become true, instead of sleeping for a fixed time.
package wait

import (
	"testing"
	"time"
)

// Until polls ok until it is true, and fails the test when that takes longer than
// limit. what says what was waited for. It must run on the test's own goroutine.
func Until(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline.C:
			if !ok() {
				t.Fatalf("%s: not within %v", what, limit)
			}
			return
		case <-tick.C:
		}
	}
}
