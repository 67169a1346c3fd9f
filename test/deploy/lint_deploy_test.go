//go:build deploy

package deploy_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lint hands gcloud's linter every command that was run, and those that would be run
// for the checkout's own files in an empty project.
func lint(t *testing.T, w *world) {
	commands := w.ran()
	out, errs, code := w.run(w.env, "cloud", "--project="+project, "provision", "--dry-run", "--from-nothing")
	if code != 0 {
		t.Fatalf("dry run: exit %d: %s", code, errs)
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "gcloud ") {
			commands = append(commands, strings.TrimSpace(line))
		}
	}
	submit := w.do(0, "submit", "--dry-run")
	commands = append(commands, strings.TrimSpace(submit))
	for line := range strings.Lines(w.do(0, "destroy", "--data", "--dry-run")) {
		commands = append(commands, strings.TrimSpace(line))
	}
	slices.Sort(commands)
	commands = slices.Compact(commands)
	if bad := w.linted(commands); len(bad) > 0 {
		t.Errorf("gcloud refuses:\n%s", strings.Join(bad, "\n"))
	}
	t.Logf("%d commands", len(commands))
	// The linter exits with 0 whatever it finds: this shows that its answer is read.
	if bad := w.linted([]string{"gcloud pubsub subscriptions create s --topic=t --ack-dedline=10", "gcloud pubsub topics list"}); len(bad) != 1 {
		t.Errorf("a misspelt flag: got %d refusals, want 1", len(bad))
	}
}

// lintFixes hands the linter what doctor told people to run.
func (w *world) lintFixes(t *testing.T) {
	t.Helper()
	w.withGcloud()
	if len(w.fixes) == 0 {
		t.Fatal("doctor gave no command")
	}
	if bad := w.linted(w.fixes); len(bad) > 0 {
		t.Errorf("gcloud refuses:\n%s", strings.Join(bad, "\n"))
	}
}

// ran are the commands that were run, each once, as they are typed.
func (w *world) ran() []string {
	w.t.Helper()
	f, err := os.Open(w.log)
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	var out []string
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		var args []string
		if err := json.Unmarshal(scan.Bytes(), &args); err != nil {
			w.t.Fatal(err)
		}
		words := []string{"gcloud"}
		for _, a := range args {
			words = append(words, "'"+a+"'")
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// linted answers with what the linter refuses.
func (w *world) linted(commands []string) []string {
	w.t.Helper()
	type asked struct {
		ID      string `json:"id"`
		Command string `json:"command_string"`
	}
	var all []asked
	for i, c := range commands {
		all = append(all, asked{string(rune('a'+i%26)) + strings.Repeat("x", i/26), c})
	}
	data, err := json.Marshal(all)
	if err != nil {
		w.t.Fatal(err)
	}
	path := filepath.Join(w.t.TempDir(), "commands.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		w.t.Fatal(err)
	}
	out, err := w.gcloud.Run(w.t.Context(), w.env, os.Stderr, "meta", "lint-gcloud-commands", "--commands-file="+path, "--serialize")
	if err != nil {
		w.t.Fatal(err)
	}
	var answers map[string][]struct {
		Command string `json:"command_string"`
		Success bool   `json:"success"`
		Error   string `json:"error_message"`
	}
	if err := json.Unmarshal(out, &answers); err != nil {
		w.t.Fatal(err)
	}
	if len(answers) != len(commands) {
		w.t.Fatalf("%d commands were linted of %d", len(answers), len(commands))
	}
	var bad []string
	for _, list := range answers {
		for _, a := range list {
			if !a.Success {
				bad = append(bad, a.Command+": "+a.Error)
			}
		}
	}
	return bad
}
