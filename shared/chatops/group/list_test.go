package group_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/group"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

type view route.View

func (v view) View(context.Context) (route.View, error) { return route.View(v), nil }

func table(t *testing.T, v route.View) string {
	t.Helper()
	config := groups.Config{}
	for _, id := range []string{"dg01", "dg02", "dg03", "dg04", "dg05", "dg06-with-a-very-long-name"} {
		config.Groups = append(config.Groups, groups.Group{ID: id})
	}
	commands, err := group.Commands(group.Config{Groups: config, Book: group.BookOf(&groups.Book{}), View: view(v)})
	if err != nil {
		t.Fatal(err)
	}
	set, err := chatops.NewSet(time.UTC, commands...)
	if err != nil {
		t.Fatal(err)
	}
	_, call, err := set.Parse("groups", noon)
	if err != nil {
		t.Fatal(err)
	}
	text, err := call.Do(t.Context(), chatops.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestGroupsShowHowBusyTheyAreAndForWhomTheyAreKept(t *testing.T) {
	t.Parallel()
	got := table(t, route.View{
		At: noon, Mode: route.ModeDrain,
		Candidates: []route.Candidate{
			{Group: "dg01", Score: 12.4, Data: route.Fresh}, {Group: "dg02", Score: 187, Data: route.Stale}, {Group: "dg03", Data: route.Never},
			{Group: "dg04", Score: 0, Data: route.Zero}, {Group: "dg05", Score: math.NaN()}, {Group: "dg06-with-a-very-long-name", Score: 7260, Data: route.Fresh},
		},
		Live: groups.Live{
			Reservations: map[string]groups.Reservation{
				"dg01": {Group: "dg01", Customers: []string{"acme", "globex", "<users/all>"}},
				"dg02": {Group: "dg02", Customers: []string{"acme"}, Until: noon.Add(time.Hour)},
				"dg03": {Group: "dg03", Customers: []string{"acme"}, Until: noon},
			},
			Draining: map[string]groups.Drain{"dg02": {}, "dg04": {}},
		},
	})
	want := "```\n" + strings.Join([]string{
		"GROUP          EMPTY IN  FOR",
		"dg01                12s  acme +2",
		"dg02             ~3m07s  draining, acme…",
		"dg03                  ?  all",
		"dg04                 0s  draining",
		"dg05                  ?  all",
		"dg06-with-a-v…    2h01m  all",
	}, "\n") + "\n```"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, line := range strings.Split(got, "\n") {
		if utf8.RuneCountInString(line) > 40 {
			t.Errorf("too wide for a phone: %q", line)
		}
	}
}

func TestAStoreThatIsDownIsSaid(t *testing.T) {
	t.Parallel()
	if got := table(t, route.View{Down: errors.New("down")}); !strings.Contains(got, "reservations are not known") {
		t.Errorf("%q", got)
	}
	if got := table(t, route.View{Down: errors.New("down"), At: noon}); !strings.Contains(got, "last known") {
		t.Errorf("%q", got)
	}
}
