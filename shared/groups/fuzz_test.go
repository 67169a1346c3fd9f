package groups_test

import (
	"errors"
	"os"
	"testing"

	"onceway.internal/shared/groups"
)

// FuzzParse: whatever the file holds, it is either refused with faults that say where,
// or a configuration on which everything else can rely.
func FuzzParse(f *testing.F) {
	real, err := os.ReadFile("../../infra/groups.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(real)
	for _, s := range []string{
		"default: a\ngroups:\n- id: a\n  queues:\n  - {name: inbox, topic: topic, subscription: subscription, rate: 1}\n",
		"groups: &g [*g]\n", "a: b: c", "---\n---\n", "groups: [{}]", "default: !!binary AA==", "groups:\n- id: 1e999\n", "? [a]\n: b\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := groups.Parse("groups.yaml", data)
		if err != nil {
			if fault, ok := errors.AsType[*groups.Fault](err); !ok || fault.File != "groups.yaml" || fault.Line < 1 || fault.What == "" {
				t.Errorf("refused without a place: %v", err)
			}
			return
		}
		if _, ok := c.Group(c.Default); !ok || c.DefaultTopic() == "" {
			t.Errorf("the default group %q can't be used", c.Default)
		}
		seen := map[string]bool{}
		for _, g := range c.Groups {
			if g.ID == "" || seen[g.ID] || len(g.Queues) == 0 || g.Topic() == "" {
				t.Errorf("group %q is there twice or can't be used", g.ID)
			}
			seen[g.ID] = true
			for _, q := range g.Queues {
				if q.Name == "" || q.Subscription == "" || !(q.Rate > 0) || !(q.Fanout > 0) || !(q.Weight >= 0) {
					t.Errorf("queue %+v can't be used", q)
				}
			}
		}
	})
}
