package groups_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/groups"
)

func four() groups.Config {
	c := groups.Config{Default: "dg01"}
	for _, id := range []string{"dg01", "dg02", "dg03", "dg04"} {
		c.Groups = append(c.Groups, groups.Group{ID: id, Open: id == "dg02", Queues: []groups.Queue{{Name: "inbox", Topic: id, Rate: 1, Fanout: 1}}})
	}
	return c
}

func TestEligible(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	held := func(until time.Time, customers ...string) groups.Reservation {
		return groups.Reservation{Customers: customers, Until: until}
	}
	tests := map[string]struct {
		live     groups.Live
		customer string
		want     [4]groups.Why
	}{
		"nothing reserved": {customer: "acme"},
		"others stay out": {
			live:     groups.Live{Reservations: map[string]groups.Reservation{"dg01": held(time.Time{}, "acme")}},
			customer: "globex", want: [4]groups.Why{groups.ReservedAway},
		},
		"nobody is another": {
			live: groups.Live{Reservations: map[string]groups.Reservation{"dg01": held(time.Time{}, "acme")}},
			want: [4]groups.Why{groups.ReservedAway},
		},
		"its customers go nowhere else": {
			live: groups.Live{Reservations: map[string]groups.Reservation{
				"dg01": held(time.Time{}, "acme", "globex"), "dg03": held(time.Time{}, "acme"),
			}},
			customer: "acme", want: [4]groups.Why{"", groups.HasOwnGroups, "", groups.HasOwnGroups},
		},
		"a draining own group leaves the other": {
			live: groups.Live{
				Reservations: map[string]groups.Reservation{"dg01": held(time.Time{}, "acme"), "dg03": held(time.Time{}, "acme")},
				Draining:     map[string]groups.Drain{"dg01": {}},
			},
			customer: "acme", want: [4]groups.Why{groups.Draining, groups.HasOwnGroups, "", groups.HasOwnGroups},
		},
		"all own groups draining: they go elsewhere": {
			live: groups.Live{
				Reservations: map[string]groups.Reservation{"dg01": held(time.Time{}, "acme"), "dg02": held(time.Time{}, "globex")},
				Draining:     map[string]groups.Drain{"dg01": {}},
			},
			customer: "acme", want: [4]groups.Why{groups.Draining, groups.ReservedAway, "", ""},
		},
		"an end is exclusive": {
			live:     groups.Live{Reservations: map[string]groups.Reservation{"dg01": held(now, "acme")}},
			customer: "acme",
		},
		"before the end it holds": {
			live:     groups.Live{Reservations: map[string]groups.Reservation{"dg01": held(now.Add(time.Nanosecond), "acme")}},
			customer: "globex", want: [4]groups.Why{groups.ReservedAway},
		},
		"an ended one opens a draining group to nobody": {
			live: groups.Live{
				Reservations: map[string]groups.Reservation{"dg01": held(now, "acme")},
				Draining:     map[string]groups.Drain{"dg01": {}},
			},
			customer: "acme", want: [4]groups.Why{groups.Draining},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got [4]groups.Why
			for i, s := range groups.Eligible(four(), tt.live, tt.customer, now) {
				got[i] = s.Why
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("why not, by group (-want +got):\n%s", d)
			}
		})
	}
}

func TestOnlyOpenGroupsWithoutReservations(t *testing.T) {
	t.Parallel()
	var got []groups.Why
	for _, s := range groups.OnlyOpen(four()) {
		got = append(got, s.Why)
	}
	if d := cmp.Diff([]groups.Why{groups.NotMarkedOpen, "", groups.NotMarkedOpen, groups.NotMarkedOpen}, got); d != "" {
		t.Errorf("why not (-want +got):\n%s", d)
	}
}
