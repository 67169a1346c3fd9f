package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
)

// ran is what one run of ctl came to.
type ran struct {
	status   int
	out, err string
}

// ctl runs the command line with an environment and what is typed.
func ctl(t *testing.T, env map[string]string, typed string, args ...string) ran {
	t.Helper()
	var out, errw bytes.Buffer
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	status := run(t.Context(), args, lookup, strings.NewReader(typed), &out, &errw)
	return ran{status, out.String(), errw.String()}
}

func TestWrongCommandLinesAndEnvironmentsAreRefusedBeforeAnythingIsTouched(t *testing.T) {
	t.Parallel()
	project := map[string]string{"GOOGLE_CLOUD_PROJECT": "demo-project"}
	for name, c := range map[string]struct {
		env  map[string]string
		args []string
		says string
	}{
		"no command":               {project, nil, "--help"},
		"unknown command":          {project, []string{"explode"}, "explode"},
		"unknown output":           {project, []string{"-o", "xml", "claims", "list"}, "output"},
		"unknown state":            {project, []string{"claims", "list", "--state", "LOST"}, "state"},
		"limit":                    {project, []string{"deadletters", "list", "--limit", "0"}, "--limit"},
		"neither done nor retry":   {project, []string{"claims", "resolve", "0123456789"}, "--done or --retry"},
		"both done and retry":      {project, []string{"claims", "resolve", "0123456789", "--done", "--retry"}, "--done"},
		"no claim":                 {project, []string{"claims", "show"}, "name the claim"},
		"short ID":                 {project, []string{"claims", "show", "abc"}, "too short"},
		"replay without an actor":  {project, []string{"--yes", "deadletters", "replay", "x"}, "--actor"},
		"reserve without an actor": {project, []string{"--yes", "reserve", "dg02", "acme"}, "--actor"},
		"no moment":                {project, []string{"reserve", "dg02", "acme", "--until", "soon"}, "--until"},
		"score that would count":   {project, []string{"score"}, "--dry-run"},
		"no project":               {nil, []string{"claims", "list"}, "GOOGLE_CLOUD_PROJECT"},
		"another process's memory": {map[string]string{"GOOGLE_CLOUD_PROJECT": "demo-project", "ONCEWAY_CLAIMS": "memory"}, []string{"claims", "list"}, "ONCEWAY_CLAIMS"},
		"unreadable variable":      {map[string]string{"GOOGLE_CLOUD_PROJECT": "demo-project", "ONCEWAY_LEASE": "long"}, []string{"claims", "list"}, "ONCEWAY_LEASE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := ctl(t, c.env, "y\n", c.args...); r.status != exitUsage || !strings.Contains(r.err, c.says) || r.out != "" {
				t.Errorf("exit %d, printed %q, said %q; want exit %d and a word of %s", r.status, r.out, r.err, exitUsage, c.says)
			}
		})
	}
}

func TestHelpAndConfigNeedNoEnvironment(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--help"}, {"claims", "resolve", "--help"}, {"config"}} {
		if r := ctl(t, nil, "", args...); r.status != 0 || r.out == "" || r.err != "" {
			t.Errorf("%v: exit %d, said %q", args, r.status, r.err)
		}
	}
}

// hostile is text that an event can bring: it would clear the screen, turn the writing
// round, and begin a line and a column of its own.
const hostile = "a\x1b[2J\u202eb\u200f\u2066\r\nID\tDONE\x07\u009b"

func TestHostileTextStaysOneCellOfOneLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	row(&out, hostile, "next")
	if inert(t, out.String()); strings.Count(out.String(), "\n") != 1 || strings.Count(out.String(), "\t") != 1 {
		t.Errorf("printed %q", out.String())
	}
}

// inert fails for what a terminal would obey.
func inert(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			t.Errorf("%U reached the terminal in %q", r, text)
		}
	}
}

// TestVariablesComeFromTheGivenEnvironment: with an actor, a change goes on to what
// is wrong next. The process's own environment is not asked.
func TestVariablesComeFromTheGivenEnvironment(t *testing.T) {
	t.Setenv("ONCEWAY_ACTOR", "somebody@acme.example")
	env := map[string]string{"GOOGLE_CLOUD_PROJECT": "demo-project", "ONCEWAY_CLAIMS": "memory"}
	change := []string{"--yes", "deadletters", "replay", "x"}
	for given, want := range map[string]string{"": "say who you are", "ada@acme.example": "ONCEWAY_CLAIMS"} {
		env["ONCEWAY_ACTOR"] = given
		if r := ctl(t, env, "", change...); r.status != exitUsage || !strings.Contains(r.err, want) {
			t.Errorf("actor %q: exit %d, said %q; want exit %d and %q", given, r.status, r.err, exitUsage, want)
		}
	}
	if r := ctl(t, env, "", append([]string{"--actor", ""}, change...)...); !strings.Contains(r.err, "say who you are") {
		t.Errorf("the flag does not win over the variable: said %q", r.err)
	}
}
