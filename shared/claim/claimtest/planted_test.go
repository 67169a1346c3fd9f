package claimtest_test

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"onceway.internal/shared/claim/claimtest"
	"onceway.internal/shared/claim/memclaim"
)

const plantedVar = "ONCEWAY_TEST_PLANTED"

// TestSuiteCatches plants one bug at a time in a store that works and checks
// that the suite fails, by the test that is there for it. The suite runs in a
// process of its own, since a failed test can't be taken back.
func TestSuiteCatches(t *testing.T) {
	t.Parallel()
	for name, bug := range planted {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := runPlanted(t, name, bug.caughtBy)
			if want := "--- FAIL: TestPlanted/" + bug.caughtBy + " "; err == nil || !strings.Contains(out, want) {
				t.Errorf("%s passes with this bug (%v):\n%s", bug.caughtBy, err, out)
			}
		})
	}
}

func TestSuitePassesWithoutABug(t *testing.T) {
	t.Parallel()
	if out, err := runPlanted(t, "none", ".*"); err != nil {
		t.Fatalf("the suite fails without a bug: %v\n%s", err, out)
	}
}

func runPlanted(t *testing.T, name, tests string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPlanted$/^"+tests+"$")
	cmd.Env = append(os.Environ(), plantedVar+"="+name)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestPlanted is what the two others run. By itself it has nothing to do.
func TestPlanted(t *testing.T) {
	if os.Getenv(plantedVar) == "" {
		return
	}
	bug := planted[os.Getenv(plantedVar)]
	var mu sync.Mutex
	spaces := map[string]*memclaim.Store{}
	open := func(t *testing.T, capacity int) *memclaim.Store {
		s, err := memclaim.New(capacity, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	claimtest.Run(t, claimtest.Harness{
		Open: func(t *testing.T, space string) claimtest.Backend {
			mu.Lock()
			defer mu.Unlock()
			if spaces[space] == nil {
				spaces[space] = open(t, 10_000)
			}
			return &buggy{Store: spaces[space], bug: bug}
		},
		OpenBounded: func(t *testing.T, capacity int) claimtest.Backend {
			return &buggy{Store: open(t, capacity), bug: bug}
		},
	})
}
