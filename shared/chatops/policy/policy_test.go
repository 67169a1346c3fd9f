package policy_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/chatops/policy"
)

const file = `
default: viewer
timezone: Europe/Berlin
confirmWithin: 5m
roles:
  operator:
    emails: [oncall@acme.example, Kim@acme.example]
    spaces: [spaces/AAAAops]
  admin:
    emails: [root@acme.example, kim@ACME.example]
commands:
  restart deployment: admin
confirm: [restart deployment, scale deployment]
`

func parse(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse("policy.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestNoTrickRaisesARole holds addresses that look like a listed one, or become
// one under some folding, against the table.
func TestNoTrickRaisesARole(t *testing.T) {
	t.Parallel()
	p := parse(t, file)
	for _, test := range []struct {
		name string
		who  policy.Who
		want policy.Role
	}{
		{"listed", policy.Who{Email: "oncall@acme.example"}, policy.Operator},
		{"ASCII case is no difference", policy.Who{Email: "OnCall@ACME.example"}, policy.Operator},
		{"listed in capitals", policy.Who{Email: "root@acme.example"}, policy.Admin},
		{"listed twice: the higher", policy.Who{Email: "kim@acme.example"}, policy.Admin},
		{"not listed", policy.Who{Email: "vic@acme.example"}, policy.Viewer},
		{"no address", policy.Who{}, policy.Viewer},
		{"Kelvin sign folds to k", policy.Who{Email: "\u212aim@acme.example"}, policy.Viewer},
		{"long s folds to s", policy.Who{Email: "root@acme.example\u017f"}, policy.Viewer},
		{"dotless i", policy.Who{Email: "k\u0131m@acme.example"}, policy.Viewer},
		{"dotted capital I", policy.Who{Email: "K\u0130M@acme.example"}, policy.Viewer},
		{"Cyrillic o", policy.Who{Email: "r\u043eot@acme.example"}, policy.Viewer},
		{"full width", policy.Who{Email: "\uff52oot@acme.example"}, policy.Viewer},
		{"full width at", policy.Who{Email: "root\uff20acme.example"}, policy.Viewer},
		{"combining mark", policy.Who{Email: "ro\u0301ot@acme.example"}, policy.Viewer},
		{"zero width joiner", policy.Who{Email: "ro\u200dot@acme.example"}, policy.Viewer},
		{"soft hyphen", policy.Who{Email: "ro\u00adot@acme.example"}, policy.Viewer},
		{"space around", policy.Who{Email: " root@acme.example"}, policy.Viewer},
		{"newline behind", policy.Who{Email: "root@acme.example\n"}, policy.Viewer},
		{"NUL behind", policy.Who{Email: "root@acme.example\x00"}, policy.Viewer},
		{"broken UTF-8", policy.Who{Email: "root@acme.example\xff"}, policy.Viewer},
		{"plus tag", policy.Who{Email: "root+x@acme.example"}, policy.Viewer},
		{"dot in the name", policy.Who{Email: "ro.ot@acme.example"}, policy.Viewer},
		{"other domain", policy.Who{Email: "root@acme.example.evil.example"}, policy.Viewer},
		{"display form", policy.Who{Email: "<root@acme.example>"}, policy.Viewer},
		{"two addresses", policy.Who{Email: "vic@acme.example,root@acme.example"}, policy.Viewer},
		{"listed space", policy.Who{Email: "vic@acme.example", Space: "spaces/AAAAops"}, policy.Operator},
		{"the higher of both", policy.Who{Email: "root@acme.example", Space: "spaces/AAAAops"}, policy.Admin},
		{"space in other case", policy.Who{Space: "spaces/aaaaOPS"}, policy.Viewer},
		{"space with more behind", policy.Who{Space: "spaces/AAAAops/threads/1"}, policy.Viewer},
		{"app in a listed space", policy.Who{Space: "spaces/AAAAops", App: true}, policy.Viewer},
		{"app with a listed address", policy.Who{Email: "root@acme.example", App: true}, policy.Viewer},
	} {
		if got := p.Role(test.who); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestDefaultNobodyShutsOutWhoIsNotListed(t *testing.T) {
	t.Parallel()
	p := parse(t, "default: nobody\nroles:\n  viewer:\n    emails: [vic@acme.example]\n")
	if got := p.Role(policy.Who{Email: "eve@acme.example"}); got != policy.Nobody {
		t.Errorf("a stranger is %v", got)
	}
	if got := p.Role(policy.Who{Email: "vic@acme.example"}); got != policy.Viewer {
		t.Errorf("who is listed is %v", got)
	}
}

func TestLeastIsNeverLessThanTheCommandsOwn(t *testing.T) {
	t.Parallel()
	p := parse(t, "commands:\n  restart deployment: viewer\n  groups: admin\n")
	for command, want := range map[string]policy.Role{"restart deployment": policy.Operator, "groups": policy.Admin, "drain": policy.Operator} {
		if got := p.Least(command, policy.Operator); got != want {
			t.Errorf("%s needs %v, want %v", command, got, want)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	p := parse(t, file)
	if p.Zone.String() != "Europe/Berlin" || p.ConfirmWithin != 5*time.Minute {
		t.Errorf("zone %v, within %v", p.Zone, p.ConfirmWithin)
	}
	if !p.Confirms("scale deployment") || p.Confirms("groups") {
		t.Error("the wrong commands ask first")
	}
}

func TestFaultsNameTheirLines(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"unknown field":       {"default: viewer\nrolls: {}\n", []string{`policy.yaml:2: unknown field "rolls"`}},
		"a field twice":       {"default: viewer\ndefault: nobody\n", []string{`policy.yaml:2: mapping key "default" already defined at [1:1]`}},
		"no YAML":             {"roles: [\n", []string{"policy.yaml:1: "}},
		"empty":               {"", []string{"policy.yaml:1: is empty"}},
		"two documents":       {"default: viewer\n---\ndefault: nobody\n", []string{"policy.yaml:1: must hold exactly one document"}},
		"a number for a text": {"timezone: 5\n", []string{"policy.yaml:1: must be a text; quote it if it looks like something else"}},
		"everything at once": {
			"default: admin\ntimezone: Mars/Dome\nconfirmWithin: 10s\nroles:\n  operator:\n    emails:\n      - r\u043eot@acme.example\n      - root\n    spaces: [AAAA]\ncommands:\n  drain: boss\n",
			[]string{
				"policy.yaml:1: default: admin is too much for people who are not listed: use viewer or nobody",
				`policy.yaml:2: timezone: "Mars/Dome" is not known here: use a name such as Europe/Berlin`,
				`policy.yaml:3: confirmWithin: "10s" is not a duration from 1m to 24h`,
				"policy.yaml:7: operator: address \"r\u043eot@acme.example\" holds a character that no address matches: printable ASCII only",
				`policy.yaml:8: operator: "root" is not an e-mail address`,
				`policy.yaml:9: operator: "AAAA" is not the name of a space such as spaces/AAAA`,
				`policy.yaml:11: commands: drain: unknown role "boss": use nobody, viewer, operator or admin`,
			},
		},
	} {
		_, err := policy.Parse("policy.yaml", []byte(test.text))
		if err == nil {
			t.Errorf("%s: no fault", name)
			continue
		}
		got := strings.Split(err.Error(), "\n")
		if name == "no YAML" {
			got[0] = got[0][:len(test.want[0])]
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestCommandsThatAreNotThereAreFaults(t *testing.T) {
	t.Parallel()
	err := parse(t, file).Check(func(c string) bool { return c == "restart deployment" })
	if err == nil || err.Error() != `policy.yaml:13: there is no command "scale deployment"` {
		t.Errorf("Check: %v", err)
	}
}

func TestTheShippedFileIsGood(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../../infra/policy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := policy.Parse("infra/policy.yaml", data); err != nil {
		t.Error(err)
	}
}
