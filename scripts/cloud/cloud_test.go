package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlanDoesWhatIsMissingAndNothingElse(t *testing.T) {
	t.Parallel()
	wanted := []resource{
		{kind: kindAPI, name: "a", create: []string{"services", "enable", "a", "--project=p"}},
		{kind: kindAPI, name: "b", create: []string{"services", "enable", "b", "--project=p"}},
		{kind: kindTopic, name: "same", want: settings{"x": "1"}},
		{kind: kindTopic, name: "differs", want: settings{"x": "1"}, update: []string{"update"}},
		{kind: kindDatabase, name: "fixed", want: settings{"location": "eur3"}},
		{kind: kindTopic, name: "theirs", foreign: true, create: []string{"never"}},
		{kind: kindSubscription, name: "waits", after: "chat", create: []string{"later"}},
		{kind: kindSubscription, name: "goes", after: "relay", create: []string{"now"}},
	}
	have := found{
		{kindTopic, "same"}:     {"x": "1", "more": "is fine"},
		{kindTopic, "differs"}:  {"x": "2"},
		{kindDatabase, "fixed"}: {"location": "nam5"},
	}
	var got []string
	for _, c := range plan(wanted, have, map[string]bool{"relay": true}) {
		got = append(got, strings.Join(append([]string{c.name, c.note}, c.args...), "|"))
	}
	want := []string{
		"a b||services|enable|a|b|--project=p",
		"differs||update",
		"fixed|can't be changed in place",
		"theirs|belongs to another project, which has to make or change it",
		"waits|waits for the first release of chat",
		"goes||now",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTrafficStaysWhereItIs(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct{ serving, want []share }{
		"new service": {nil, []share{{Latest: true, Percent: 100, Tag: tagCandidate}}},
		"after a release": {
			[]share{{Revision: "r2", Percent: 100, Tag: tagCandidate}, {Revision: "r1", Tag: tagPrevious}},
			[]share{{Revision: "r2", Percent: 100}, {Revision: "r1", Tag: tagPrevious}, {Revision: "r3", Tag: tagCandidate}},
		},
		"a candidate that was not sound goes": {
			[]share{{Revision: "r1", Percent: 100}, {Revision: "r2", Tag: tagCandidate}},
			[]share{{Revision: "r1", Percent: 100}, {Revision: "r3", Tag: tagCandidate}},
		},
		"split by hand": {
			[]share{{Revision: "r1", Percent: 90}, {Revision: "r2", Percent: 10}},
			[]share{{Revision: "r1", Percent: 90}, {Revision: "r2", Percent: 10}, {Revision: "r3", Tag: tagCandidate}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(x.want, traffic(x.serving, "r3")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCommandsCanBePasted(t *testing.T) {
	t.Parallel()
	got := shown([]string{"scheduler", "jobs", "create", "--schedule=* * * * *", `--message-body={"a":"it's"}`, "(default)", ""})
	want := `gcloud scheduler jobs create --schedule='* * * * *' --message-body='{"a":"it'\''s"}' '(default)' ''`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestImagesAreGivenByDigest(t *testing.T) {
	t.Parallel()
	for _, image := range []string{"", "onceway:latest", "host/p/r/onceway@sha256:abc"} {
		if _, err := (releaseCmd{Image: image}).image(); err == nil {
			t.Errorf("%q is accepted", image)
		}
	}
}

func TestDestroyWantsTheProjectsID(t *testing.T) {
	t.Parallel()
	for typed, ok := range map[string]bool{"demo-project\n": true, "yes\n": false, "": false} {
		err := destroyCmd{}.ask(&console{in: strings.NewReader(typed), out: new(bytes.Buffer)}, "demo-project", 3)
		if (err == nil) != ok {
			t.Errorf("%q: %v", typed, err)
		}
	}
}
