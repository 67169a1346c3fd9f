//go:build emulators

package e2e

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"
)

// TestRun is a newcomer's first command, in both of its forms. They take turns: each
// is a whole deployment on this machine.
func TestRun(t *testing.T) {
	for name, args := range map[string][]string{
		"in one process": {"--for", "15s", "--json"},
		"on emulators":   {"--emulators", "--for", "15s", "--json"},
	} {
		t.Run(name, func(t *testing.T) {
			run := exec.CommandContext(t.Context(), "../../scripts/run", args...)
			var out, progress bytes.Buffer
			run.Stdout, run.Stderr = &out, &progress
			if err := run.Run(); err != nil {
				t.Fatalf("%v\n%s%s", err, &progress, &out)
			}
			var got struct {
				Events struct {
					Published, Duplicates, Acted, Lost int
					Twice                              int `json:"acted_twice"`
				}
				Campaigns struct {
					ByGroup map[string]int `json:"by_group"`
					Rules   map[string]int `json:"by_rule_after_first_score"`
				}
				OK bool
			}
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatalf("%v in %s", err, &out)
			}
			e, c := got.Events, got.Campaigns
			if !got.OK || e.Duplicates == 0 || e.Twice != 0 || e.Lost != 0 || e.Acted == 0 {
				t.Errorf("events %+v, ok %v", e, got.OK)
			}
			if len(c.ByGroup) < 3 || len(c.Rules) != 1 || c.Rules["ledger-corrected-score"] == 0 {
				t.Errorf("groups %v, rules after the first Score run %v", c.ByGroup, c.Rules)
			}
		})
	}
}
