package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestGoalsBoundFromBelowOrFromAbove(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		figure figure
		want   bool
		json   string
	}{
		"at least, reached":   {figure{Ratio: 0.95, Goal: 0.95}, true, `"goal":0.95,"bound":"at least","met":true`},
		"at least, missed":    {figure{Ratio: 0.94, Goal: 0.95}, false, `"goal":0.95,"bound":"at least","met":false`},
		"at most, kept":       {figure{Ratio: 1.1, Goal: 1.2, Most: true}, true, `"goal":1.2,"bound":"at most","met":true`},
		"at most, missed":     {figure{Ratio: 1.3, Goal: 1.2, Most: true}, false, `"goal":1.2,"bound":"at most","met":false`},
		"context has no goal": {figure{Ratio: 0.1}, true, `"goal":null,"bound":null,"met":null`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tc.figure.met(); got != tc.want {
				t.Errorf("met: %t, want %t", got, tc.want)
			}
			text, err := json.Marshal(tc.figure)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), tc.json) {
				t.Errorf("%s lacks %s", text, tc.json)
			}
		})
	}
}

func TestClosingLineNamesWhatIsMissed(t *testing.T) {
	t.Parallel()
	r := report{Took: "9m0s", Figures: []figure{{Name: "a", Ratio: 1, Goal: 0.9}, {Name: "b", Ratio: 0.5, Goal: 0.9}, {Name: "c", Ratio: 0.1}}}
	if got, want := r.closing(), "1 of 2 goals met, in 9m0s; missed: b"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A run that can't find its place would be lost after ten minutes.
func TestResultsHaveAPlaceForFigures(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "RESULTS.md")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r := report{Figures: []figure{{Name: "store/redis/8", Ratio: 0.97, Goal: 0.95, Says: "10 events/s"}}, Took: "1s", Command: "scripts/bench"}
	for range 2 { // the second finds what the first wrote
		if err := r.write(path); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(got, []byte("| store/redis/8 | 0.97 | ≥ 0.95 | yes | 10 events/s |")); n != 1 {
		t.Errorf("the figure stands there %d times:\n%s", n, got)
	}
}

func TestUnknownBenchIsWrongUsage(t *testing.T) {
	t.Parallel()
	var out, progress bytes.Buffer
	err := realMain(t.Context(), []string{"nope"}, &out, &progress)
	if !errors.Is(err, errUsage) || !strings.Contains(err.Error(), "store") {
		t.Errorf("error %v", err)
	}
}

func TestMedianRatioIsOfRoundsSideBySide(t *testing.T) {
	t.Parallel()
	second := func(n int) round { return round{Count: n, Took: time.Second} }
	ours := []round{second(90), second(10), second(95)} // the machine was busy in the second
	theirs := []round{second(100), second(10), second(100)}
	if got := faster(ours, theirs); got != 0.95 {
		t.Errorf("ratio %v, want 0.95", got)
	}
}
