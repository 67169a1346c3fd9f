package webhook_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/chatops/webhook"
)

func TestToolsAreReadWithTheirDefaults(t *testing.T) {
	t.Parallel()
	f, err := webhook.Parse("tools.yaml", []byte(`
appCommands: {"7": purge cache, 8: groups}
tools:
  - name: purge
    words: purge cache
    arguments: [region, depth?]
    url: https://tools.acme.example/purge
    destructive: false
`))
	if err != nil {
		t.Fatal(err)
	}
	got := f.Tools[0]
	if got.Timeout != 10*time.Second || got.Role != policy.Operator || got.Destructive || got.URL.Host != "tools.acme.example" {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff([]webhook.Argument{{Name: "region"}, {Name: "depth", Optional: true}}, got.Arguments); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"7": "purge cache", "8": "groups"}, f.AppCommands); diff != "" {
		t.Error(diff)
	}
}

func TestFaultsNameTheirLines(t *testing.T) {
	t.Parallel()
	_, err := webhook.Parse("tools.yaml", []byte(`appCommands: {help: help}
tools:
  - name: Purge
    words: Purge Cache
    url: http://tools.acme.example
    role: viewer
    destructive: true
  - name: meta
    words: meta
    url: https://169.254.169.254/computeMetadata
    timeout: 1h
    allow: [ten]
  - name: meta
    words: meta two
    arguments: [a?, b]
    url: https://u:p@tools.acme.example
    verify: https://tools.acme.example/ops
    destructive: false
    role: boss
`))
	if err == nil {
		t.Fatal("no fault")
	}
	want := []string{
		`tools.yaml:1: appCommands: "help": must be a command's number with the words it stands for`,
		`tools.yaml:3: tool "Purge": name must be lowercase letters, digits and dashes`,
		`tools.yaml:4: tool Purge: words "Purge Cache" must be one to four lowercase words`,
		`tools.yaml:6: tool Purge: role viewer is not enough for what it does`,
		`tools.yaml:5: tool Purge: plain http is for addresses under allow only: use https`,
		`tools.yaml:8: tool meta: destructive must be said, true or false`,
		`tools.yaml:11: tool meta: timeout "1h" must be from 100ms to 5m`,
		`tools.yaml:12: tool meta: allow "ten" must be an address or a prefix such as 10.0.0.0/8`,
		`tools.yaml:10: tool meta: address 169.254.169.254 is private or local: name it under allow if it is meant`,
		`tools.yaml:13: tool "meta": there twice`,
		`tools.yaml:15: tool meta: argument "b" can't be required behind one that may be left out`,
		`tools.yaml:19: tool meta: unknown role "boss": use nobody, viewer, operator or admin`,
		`tools.yaml:16: tool meta: the URL must not hold a password`,
		`tools.yaml:17: tool meta: verify must be a URL that holds {operation}`,
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTheShippedFileAndItsExamplesAreGood reads infra/tools.yaml as it is, and again
// with its examples uncommented.
func TestTheShippedFileAndItsExamplesAreGood(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../../infra/tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := webhook.Parse("infra/tools.yaml", data); err != nil {
		t.Error(err)
	}
	text := regexp.MustCompile(`(?m)^#  (- |"|  [a-z])`).ReplaceAllString(strings.ReplaceAll(string(data), "tools: []", "tools:"), "  $1")
	f, err := webhook.Parse("infra/tools.yaml", []byte(strings.ReplaceAll(text, "appCommands: {}", "appCommands:")))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Tools) != 2 || len(f.AppCommands) != 2 {
		t.Errorf("%d tools, %d app commands in the examples", len(f.Tools), len(f.AppCommands))
	}
}
