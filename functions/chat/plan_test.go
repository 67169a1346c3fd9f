package chat_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/once"
)

// stand is a command of the tools that need a cluster or an Alertmanager, with as
// much of its grammar as a plan shows.
func stand(name string, effect chatops.Effect) chatops.Command {
	role := policy.Viewer
	if effect == chatops.Once {
		role = policy.Operator
	}
	return chatops.Command{
		Name: name, Usage: "TARGET", Role: role, Effect: effect,
		Parse: func(a chatops.Args) (chatops.Call, error) {
			target, err := a.Next("TARGET")
			return chatops.Call{Target: target, Subject: "subject of " + target}, err
		},
	}
}

func stands() []chatops.Command {
	return []chatops.Command{
		stand("status deployment", chatops.Reads), stand("restart deployment", chatops.Once), stand("scale deployment", chatops.Once),
		stand("rollback deployment", chatops.Once), stand("silence", chatops.Once),
		{Name: "claims", Role: policy.Viewer, Parse: func(a chatops.Args) (chatops.Call, error) { return chatops.Call{}, a.End() }},
	}
}

// TestPlansOfGoldenPayloads shows what each payload is taken for: a policy that
// becomes laxer, or a key that changes between releases, shows as a changed line.
func TestPlansOfGoldenPayloads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{commands: stands(), confirm: "scale deployment"})
	files, err := filepath.Glob("../../test/payloads/chat/*.json")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d payloads, %v", len(files), err)
	}
	var got strings.Builder
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		p, err := w.Plan(payload(t, name))
		if err != nil {
			fmt.Fprintf(&got, "%s\n  poison: %v\n", name, err)
			continue
		}
		fmt.Fprintf(&got, "%s\n  %s | %s | subject %q | key %s\n", name, p.Policy, p.Summary, p.Subject, p.Key)
	}
	want, err := os.ReadFile("testdata/plans.golden")
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("plans.golden (-want +got):\n%s", diff)
		if dir := os.Getenv("ONCEWAY_TEST_GOLDEN"); dir != "" {
			_ = os.WriteFile(filepath.Join(dir, "plans.golden"), []byte(got.String()), 0o600)
		}
	}
}

// TestEveryPayloadIsAckedAndNoSecretIsLogged delivers every payload there is,
// twice. None may end in a loop, and nothing that people wrote or are called may
// reach a log.
func TestEveryPayloadIsAckedAndNoSecretIsLogged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{commands: stands()})
	files, err := filepath.Glob("../../test/payloads/chat/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		for range 2 {
			rep := w.deliver(t, payload(t, name))
			poison := strings.HasPrefix(name, "bad-")
			// The tools that stand in for a cluster do nothing and panic when they run.
			if !rep.Outcome.Ack() && !strings.Contains(fmt.Sprint(rep.Err), "panicked") || poison != (rep.Outcome == once.DeadLettered) && rep.Outcome != once.Duplicate {
				t.Errorf("%s: %v %v", name, rep.Outcome, rep.Err)
			}
		}
	}
	for _, secret := range []string{
		"@acme.example", "Ann Operator", "Eve External", "launch day", "disk is full", "rolling back", "shop/payments", "eu-west",
		"restrat", "globex", "redacted-token", "PaymentsDown",
	} {
		if i := strings.Index(w.logs.String(), secret); i >= 0 {
			t.Errorf("the log holds %q: …%s…", secret, w.logs.String()[max(0, i-200):i+50])
		}
	}
	for _, wanted := range []string{`"type":"MESSAGE"`, `"type":"UNKNOWN"`, `"type":"REACTION_STORM"`, `"space":"spaces/AAAAops"`, `"thread":"spaces/AAAAops/threads/t1"`, `"message":"spaces/AAAAops/messages/m1.m1"`} {
		if !strings.Contains(w.logs.String(), wanted) {
			t.Errorf("the log lacks %s", wanted)
		}
	}
}
