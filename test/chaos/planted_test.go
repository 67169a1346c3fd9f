//go:build chaos

package chaos_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onceway.internal/test/chaos/rig"
	"onceway.internal/test/servers"
)

// edit replaces text that a file of the product has once.
type edit struct{ file, from, to string }

// bugs are such as users would suffer from; each must show in the counts.
var bugs = map[string]struct {
	edits []edit
	shows func(rig.Outcome) bool
}{
	"duplicates of events in work are acknowledged": {
		[]edit{{"shared/once/outcome.go",
			"InFlight:        {http.StatusServiceUnavailable, false}", "InFlight:        {http.StatusNoContent, true}"}},
		func(o rig.Outcome) bool { return o.AtLeastOnce.Lost+o.AtMostOnce.Lost > 0 },
	},
	"at-most-once events are claimed under a key of the delivery": {
		[]edit{{"shared/once/deliver.go", "\td.rep.ClaimID = claim.ID(",
			"\tif d.plan.Policy == claim.AtMostOnce {\n\t\td.req.Key = claim.NewToken()\n\t}\n\td.rep.ClaimID = claim.ID("}},
		func(o rig.Outcome) bool { return o.AtMostOnce.ActedTwice > 0 },
	},
	"at-most-once effects whose lease is over are taken over": {
		[]edit{
			{"shared/claim/take.go", "case s.State == Effect && !s.Policy.Repeatable():", "case false:"},
			{"shared/claim/transition.go", "{Transition{Effect, ActTakeover, Claimed}, repeatable}",
				"{Transition{Effect, ActTakeover, Effect}, destructive}"},
		},
		func(o rig.Outcome) bool { return o.AtMostOnce.ActedTwice > 0 },
	},
}

// TestPlantedBugsShow runs workers that were built with a bug. The suite's short form
// leaves it out.
func TestPlantedBugsShow(t *testing.T) {
	for name, bug := range bugs {
		t.Run(name, func(t *testing.T) {
			binary := buildWith(t, bug.edits)
			sz := short
			sz.patience = 20 * time.Second // what is lost stays lost
			// a kill has to land inside a handler for two of them: often, but not in each run
			for round := range 4 {
				o := play(t, fmt.Sprintf("%s-%d", strings.ReplaceAll(name, " ", "-"), round), sz, binary, map[string]string{
					"ONCEWAY_CLAIMS": "redis", "ONCEWAY_REDIS_URL": servers.Redis(t),
				})
				if !o.OK() && bug.shows(o) {
					return
				}
			}
			t.Error("the bug does not show in the counts")
		})
	}
}

// buildWith builds the worker as if the edits had been made.
func buildWith(t *testing.T, edits []edit) (binary string) {
	t.Helper()
	dir, root := t.TempDir(), moduleRoot(t)
	replace := map[string]string{}
	for _, e := range edits {
		path := filepath.Join(root, e.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), e.from); n != 1 {
			t.Fatalf("%s has %q %d times, want once: plant the bug anew", e.file, e.from, n)
		}
		replace[path] = filepath.Join(dir, filepath.Base(e.file))
		if err := os.WriteFile(replace[path], []byte(strings.Replace(string(text), e.from, e.to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	binary = filepath.Join(dir, "worker")
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", file, "-o", binary, "./functions/worker")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build with the bug: %v\n%s", err, out)
	}
	return binary
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	mod, err := exec.CommandContext(t.Context(), "go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(strings.TrimSpace(string(mod)))
}
