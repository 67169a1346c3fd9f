package groups_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/groups"
)

const small = `
project: demo-project
default: dg01
overflow: campaigns-overflow
queues:
  - {name: personalizer, weight: 0.2, rate: 100}
  - {name: delivery, rate: 50, fanout: 2}
groups:
  - id: dg01
    open: true
  - id: dg02
    queues:
      - name: personalizer
        project: other-team
        topic: theirs
      - name: delivery
        rate: 70
    reservation:
      customers: [globex, acme, acme]
      until: "2030-01-31T18:00:00Z"
      note: launch
`

func TestParseFillsInFromTemplateAndNames(t *testing.T) {
	t.Parallel()
	c, err := groups.Parse("groups.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	want := groups.Config{
		Project: "demo-project", Default: "dg01", Overflow: "projects/demo-project/topics/campaigns-overflow",
		Groups: []groups.Group{
			{ID: "dg01", Open: true, Queues: []groups.Queue{
				{Name: "personalizer", Topic: "dg01-personalizer", Subscription: "dg01-personalizer", Weight: 0.2, Rate: 100, Fanout: 1, Project: "demo-project"},
				{Name: "delivery", Topic: "dg01-delivery", Subscription: "dg01-delivery", Rate: 50, Fanout: 2, Project: "demo-project"},
			}},
			{ID: "dg02", Queues: []groups.Queue{
				{Name: "personalizer", Topic: "theirs", Subscription: "theirs", Project: "other-team", Weight: 0.2, Rate: 100, Fanout: 1},
				{Name: "delivery", Topic: "dg02-delivery", Subscription: "dg02-delivery", Rate: 70, Fanout: 2, Project: "demo-project"},
			}, Reservation: &groups.Reservation{
				Group: "dg02", Customers: []string{"acme", "globex"}, Until: time.Date(2030, 1, 31, 18, 0, 0, 0, time.UTC), Note: "launch",
			}},
		},
	}
	if d := cmp.Diff(want, c.InProject("unused-project")); d != "" {
		t.Errorf("config (-want +got):\n%s", d)
	}
	if got := c.InProject("").DefaultTopic(); got != "projects/demo-project/topics/dg01-personalizer" {
		t.Errorf("default topic %q", got)
	}
}

func TestParseNamesEveryFaultWithLineAndField(t *testing.T) {
	t.Parallel()
	const head = "default: dg01\nqueues:\n  - {name: inbox, rate: 5}\ngroups:\n  - id: dg01\n" // lines 1 to 5
	tests := map[string]struct {
		yaml string
		want []string
	}{
		"unknown field":        {head + "    opne: true\n", []string{"g.yaml:6: groups[0].opne: unknown field"}},
		"unknown at the top":   {"fallback: x\n" + head, []string{"g.yaml:1: fallback: unknown field"}},
		"duplicate group":      {head + "  - id: dg01\n", []string{`g.yaml:6: groups[1].id: "dg01" is given twice`}},
		"empty queues":         {head + "    queues: []\n", []string{"g.yaml:6: groups[0].queues: must be a list that is not empty"}},
		"rate of zero":         {head + "    queues:\n      - name: inbox\n        rate: 0\n", []string{"g.yaml:8: groups[0].queues[0].rate: must be more than 0, not 0"}},
		"negative fanout":      {head + "    queues:\n      - name: inbox\n        fanout: -1\n", []string{"g.yaml:8: groups[0].queues[0].fanout: must be more than 0, not -1"}},
		"negative weight":      {head + "    queues:\n      - name: inbox\n        weight: -1\n", []string{"g.yaml:8: groups[0].queues[0].weight: must not be negative, not -1"}},
		"rate that is text":    {head + "    queues:\n      - name: inbox\n        rate: fast\n", []string{"g.yaml:8: groups[0].queues[0].rate: must be a number"}},
		"no rate anywhere":     {head + "    queues:\n      - name: other\n", []string{"g.yaml:7: groups[0].queues[0].rate: is required: messages per second, here or in the template"}},
		"duplicate queue":      {head + "    queues:\n      - name: inbox\n      - name: inbox\n", []string{`g.yaml:8: groups[0].queues[1].name: "inbox" is given twice`}},
		"unknown default":      {strings.Replace(head, "dg01", "dg09", 1), []string{`g.yaml:1: default: there is no group "dg09"`}},
		"reservation for none": {head + "    reservation:\n      note: x\n", []string{"g.yaml:7: groups[0].reservation.customers: is required"}},
		"until that is no time": {head + "    reservation:\n      customers: [acme]\n      until: soon\n",
			[]string{"g.yaml:8: groups[0].reservation.until: must be a time such as 2030-01-31T18:00:00Z"}},
		"open that is no boolean": {head + "    open: maybe\n", []string{"g.yaml:6: groups[0].open: must be true or false"}},
		"a shared topic": {head + "  - id: dg02\n    queues:\n      - {name: inbox, topic: dg01-inbox}\n",
			[]string{"g.yaml:6: groups[1]: projects//topics/dg01-inbox belongs to dg01/inbox already", "g.yaml:6: groups[1]: projects//subscriptions/dg01-inbox belongs to dg01/inbox already"}},
		"weights in one group only": {head + "  - id: dg02\n    queues:\n      - {name: inbox, weight: 1}\n",
			[]string{"g.yaml:6: groups[1]: some groups have weights and some have none: in mode weighted they can't be compared"}},
		"two faults at once": {head + "    opne: true\n    queues:\n      - name: inbox\n        rate: 0\n",
			[]string{"g.yaml:6: groups[0].opne: unknown field", "g.yaml:9: groups[0].queues[0].rate: must be more than 0, not 0"}},
		"no groups":        {"default: dg01\n", []string{"g.yaml:1: groups: is required"}},
		"not YAML":         {"default: [\n", []string{"g.yaml:1: "}},
		"nothing":          {"", []string{"g.yaml:1: must hold exactly one YAML document"}},
		"key given twice":  {head + "    open: true\n    open: true\n", []string{"g.yaml:7: "}},
		"an alias":         {head + "    open: *x\n", []string{"g.yaml:6: "}},
		"template's topic": {"queues:\n  - {name: inbox, rate: 1, topic: one}\n" + "default: dg01\ngroups:\n  - id: dg01\n", []string{"g.yaml:2: queues[0]: the template can't name a topic or subscription: groups would share it"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := groups.Parse("g.yaml", []byte(tt.yaml))
			if err == nil {
				t.Fatal("no error")
			}
			var f *groups.Fault
			if !errors.As(err, &f) || f.File != "g.yaml" || f.Line == 0 {
				t.Errorf("no fault with file and line in %v", err)
			}
			got := strings.Split(err.Error(), "\n")
			for i, w := range tt.want {
				if i >= len(got) || !strings.HasPrefix(got[i], w) {
					t.Errorf("faults:\n%s\nwant line %d to begin %q", err, i, w)
				}
			}
			if len(got) != len(tt.want) {
				t.Errorf("%d faults, want %d:\n%s", len(got), len(tt.want), err)
			}
		})
	}
}

func TestExampleFileIsValid(t *testing.T) {
	t.Parallel()
	c, err := groups.Load("../../infra/groups.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Groups) != 6 || c.Default != "dg01" {
		t.Errorf("%d groups, default %q", len(c.Groups), c.Default)
	}
	for _, g := range c.Groups {
		if len(g.Queues) != 4 {
			t.Errorf("%s has %d queues", g.ID, len(g.Queues))
		}
	}
}
