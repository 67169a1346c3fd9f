package routetest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/route"
)

func figures(group string, backlog float64, at time.Time) route.Figures {
	return route.Figures{group: {"inbox": {Backlog: backlog, At: at.UTC(), Rate: 3, Checked: at.UTC(), OldestAge: time.Second}}}
}

func newer(t *testing.T, h Harness) {
	at := time.Unix(1000, 0)
	for _, f := range []route.Figures{
		figures("dg01", 7, at.Add(time.Minute)),
		figures("dg01", 5, at), // late
		figures("dg02", 1, at), // another group's: both stay
	} {
		if _, err := h.Route.PutFigures(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, h).Figures
	if b := got["dg01"]["inbox"].Backlog; b != 7 {
		t.Errorf("backlog %v after a late sample, want the newer 7", b)
	}
	if b := got["dg02"]["inbox"].Backlog; b != 1 {
		t.Errorf("the other group's backlog is %v", b)
	}
}

func settings(t *testing.T, h Harness) {
	s := route.DefaultSettings()
	if err := h.Route.PutSettings(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if err := h.Route.PutSettings(t.Context(), s); !errors.Is(err, route.ErrConflict) {
		t.Errorf("put on no version over a stored one: %v", err)
	}
	stored := *read(t, h).Settings
	stored.Policy = route.TwoChoices
	if err := h.Route.PutSettings(t.Context(), stored); err != nil {
		t.Fatal(err)
	}
	if err := h.Route.PutSettings(t.Context(), stored); !errors.Is(err, route.ErrConflict) {
		t.Errorf("put on an old version: %v", err)
	}
	if p := read(t, h).Settings.Policy; p != route.TwoChoices {
		t.Errorf("policy %q was read back", p)
	}
}

func advice(t *testing.T, h Harness) {
	if _, _, err := h.Route.Recommendation(t.Context(), "inbox"); !errors.Is(err, route.ErrNotFound) {
		t.Errorf("recommendation before any: %v", err)
	}
	at := time.Unix(1000, 0).UTC()
	want := route.Recommendation{
		Queue: "inbox", At: at, ValidUntil: at.Add(time.Minute), Rule: route.ByCorrected,
		Topics: []route.WeightedTopic{{Topic: "t1", Group: "dg01", Weight: 0.75}, {Topic: "t2", Group: "dg02", Weight: 0.25}},
	}
	late := want
	late.At, late.Topics = at.Add(-time.Second), nil
	if err := h.Route.PutRecommendations(t.Context(), []route.Recommendation{want}); err != nil {
		t.Fatal(err)
	}
	if err := h.Route.PutRecommendations(t.Context(), []route.Recommendation{late}); err != nil {
		t.Fatal(err)
	}
	got, now, err := h.Route.Recommendation(t.Context(), "inbox")
	if err != nil || now.IsZero() {
		t.Fatalf("recommendation: now %v, %v", now, err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("recommendation (-want +got):\n%s", d)
	}
}

func history(t *testing.T, h Harness) {
	minute := time.Unix(600_000, 0).UTC()
	for _, s := range []int{120, 0, 60, 5} { // 5 is of the same minute as 0
		p := route.Past{At: minute.Add(time.Duration(s) * time.Second), Backlogs: map[string]map[string]float64{"dg01": {"inbox": float64(s)}}}
		if err := h.Route.PutHistory(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	ps, err := h.Route.History(t.Context(), minute)
	if err != nil {
		t.Fatal(err)
	}
	var got []float64
	for _, p := range ps {
		got = append(got, p.Backlogs["dg01"]["inbox"])
	}
	if d := cmp.Diff([]float64{5, 60, 120}, got); d != "" {
		t.Errorf("history (-want +got):\n%s", d)
	}
	if ps, err = h.Route.History(t.Context(), minute.Add(90*time.Second)); err != nil || len(ps) != 1 {
		t.Errorf("history of the last minute: %v, %v", ps, err)
	}
}
