//go:build emulators

package main

import (
	"encoding/json"
	"testing"

	"onceway.internal/shared/route"
)

func TestPolicyIsChangedWithoutADeployment(t *testing.T) {
	b := newBench(t)
	b.env["ONCEWAY_GROUPS"] = "../../infra/groups.yaml"
	if r := ctl(t, b.env, "", "--actor", actor, "policy", "round-robin"); r.status != exitNo {
		t.Errorf("unconfirmed: exit %d, want %d: %s", r.status, exitNo, r.err)
	}
	if r := ctl(t, b.env, "", "--actor", actor, "--yes", "policy", "banana"); r.status == 0 {
		t.Error("an unknown policy was taken")
	}
	if r := ctl(t, b.env, "", "--actor", actor, "--yes", "policy", "two-choices", "--drain-trust", "0.5"); r.status != 0 {
		t.Fatalf("change: exit %d: %s", r.status, r.err)
	}
	r := ctl(t, b.env, "", "-o", "json", "policy")
	var got route.Settings
	if err := json.Unmarshal([]byte(r.out), &got); err != nil {
		t.Fatalf("show: %v in %q %s", err, r.out, r.err)
	}
	if got.Policy != route.TwoChoices || got.DrainTrust != 0.5 || got.Mode != route.ModeDrain || got.By != actor {
		t.Errorf("settings = %+v", got)
	}
}
