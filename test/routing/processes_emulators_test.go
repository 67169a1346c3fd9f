//go:build emulators

package routing_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"onceway.internal/shared/route"
	"onceway.internal/test/servers"
)

const (
	routers   = 4
	perRouter = 50
	size      = 1000
)

func started(t *testing.T) []*process {
	t.Helper()
	ps := make([]*process, routers)
	for i := range ps {
		ps[i] = startProcess(t)
	}
	return ps
}

// campaigns of router i; they differ between routers.
func campaigns(name string, i int) []route.Campaign {
	cs := make([]route.Campaign, perRouter)
	for k := range cs {
		cs[k] = route.Campaign{ID: fmt.Sprintf("%s-%d-%d", name, i, k), Customer: "globex", Size: size}
	}
	return cs
}

func TestFourProcessesSpreadTwoHundredCampaigns(t *testing.T) {
	addr := servers.Firestore(t)
	b := newBench(t, addr)
	b.sampled(t)
	ps := started(t)

	work := make([][]route.Campaign, routers)
	for i := range work {
		work[i] = campaigns("c", i)
	}
	group := map[string]string{}
	for _, res := range together(t, b, addr, ps, work) {
		for _, a := range res.Assignments {
			if _, twice := group[a.Campaign]; twice || !a.Recorded || a.Repeated || a.Rule != route.ByCorrected {
				t.Errorf("%s: twice %v, recorded %v, repeated %v, rule %s", a.Campaign, twice, a.Recorded, a.Repeated, a.Rule)
			}
			group[a.Campaign] = a.Group
		}
	}
	if len(group) != routers*perRouter {
		t.Errorf("%d campaigns are assigned, want %d", len(group), routers*perRouter)
	}
	sumsUp(t, b, group)
	spread(t, b, group)

	// Redelivered, each to another process than before.
	for i := range work {
		work[i] = campaigns("c", (i+1)%routers)
	}
	for _, res := range together(t, b, addr, ps, work) {
		for _, a := range res.Assignments {
			if a.Group != group[a.Campaign] || !a.Repeated || !a.Recorded {
				t.Errorf("redelivered %s: %s, was %s; repeated %v", a.Campaign, a.Group, group[a.Campaign], a.Repeated)
			}
		}
	}
	sumsUp(t, b, group)
}

func TestOneCampaignAtFourProcessesAtOnce(t *testing.T) {
	addr := servers.Firestore(t)
	b := newBench(t, addr)
	b.sampled(t)
	ps := started(t)

	same := campaigns("same", 0)
	group := map[string]string{}
	fresh := 0
	for _, res := range together(t, b, addr, ps, [][]route.Campaign{same, same, same, same}) {
		for _, a := range res.Assignments {
			if g, ok := group[a.Campaign]; ok && g != a.Group {
				t.Errorf("%s has two groups, %s and %s", a.Campaign, g, a.Group)
			}
			group[a.Campaign] = a.Group
			if !a.Repeated {
				fresh++
			}
		}
	}
	if fresh != perRouter {
		t.Errorf("%d first answers for %d campaigns", fresh, perRouter)
	}
	sumsUp(t, b, group)
}

// sumsUp compares the ledger with what was answered.
func sumsUp(t *testing.T, b *bench, group map[string]string) {
	t.Helper()
	want := map[string]int64{}
	for _, g := range group {
		want[g]++
	}
	messages, campaigns := b.ledger(t)
	for _, g := range b.groups.Groups {
		if campaigns[g.ID] != want[g.ID] || messages[g.ID] != want[g.ID]*size {
			t.Errorf("%s: the ledger counts %d campaigns with %d messages, %d were answered", g.ID, campaigns[g.ID], messages[g.ID], want[g.ID])
		}
	}
}

// spread compares each group's part of the campaigns with its part of the capacity.
func spread(t *testing.T, b *bench, group map[string]string) {
	t.Helper()
	got := map[string]float64{}
	for _, g := range group {
		got[g]++
	}
	capacity, total := map[string]float64{}, 0.0
	for _, c := range route.Rank(b.groups, route.Snapshot{}, route.Campaign{}, time.Now()) {
		capacity[c.Group] = c.Capacity
		total += c.Capacity
	}
	for id, c := range capacity {
		want := c / total * float64(len(group))
		t.Logf("%s: %.0f campaigns, %.1f by capacity", id, got[id], want)
		if math.Abs(got[id]-want) > 0.15*want {
			t.Errorf("%s got %.0f campaigns, by capacity %.1f", id, got[id], want)
		}
	}
}
