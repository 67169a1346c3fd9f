// Package counterstest holds what every counters.Store has to keep.
package counterstest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/backlog/counters"
)

// Run checks a store. name makes a counter name that nobody else uses.
func Run(t *testing.T, s counters.Store, name func(t *testing.T) string) {
	for what, check := range map[string]func(*testing.T, counters.Store, string){
		"absent counters are absent and adding makes them": absent,
		"counting from many sides loses nothing":           concurrent,
		"one reader of a figure corrects":                  corrects,
		"only an absent counter is created":                creates,
		"the last notes are kept":                          notes,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			check(t, s, name(t))
		})
	}
}

func absent(t *testing.T, s counters.Store, id string) {
	if all := read(t, s, id); len(all) != 0 {
		t.Errorf("counters %v before anything was counted", all)
	}
	add(t, s, id, 3)
	if got := add(t, s, id, -5); got != -2 {
		t.Errorf("3 - 5 is %d", got)
	}
	if got := read(t, s, id, id+"-other"); len(got) != 1 || got[id].Count != -2 || !got[id].Corrected.IsZero() {
		t.Errorf("counters %v, want just one at -2", got)
	}
}

func concurrent(t *testing.T, s counters.Store, id string) {
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for range 20 {
				if _, err := s.Add(t.Context(), id, 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := read(t, s, id)[id].Count; got != 400 {
		t.Errorf("counted %d, want 400", got)
	}
}

func corrects(t *testing.T, s counters.Store, id string) {
	add(t, s, id, 10)
	figure := now(t, s).Add(-time.Minute)
	var all sync.WaitGroup
	var done atomic.Int64
	for range 8 {
		all.Go(func() {
			ok, err := s.Correct(t.Context(), id, -4, figure)
			if err != nil {
				t.Error(err)
			}
			if ok {
				done.Add(1)
			}
		})
	}
	all.Wait()
	got := read(t, s, id)[id]
	if done.Load() != 1 || got.Count != 6 || got.Corrected.Before(figure) {
		t.Errorf("%d corrected, counter %+v, want one and 6", done.Load(), got)
	}
	if ok, err := s.Correct(t.Context(), id, -4, figure.Add(time.Second)); ok || err != nil {
		t.Errorf("a figure from before the correction corrected again: %t, %v", ok, err)
	}
}

func creates(t *testing.T, s counters.Store, id string) {
	for i, want := range []bool{true, false} {
		if ok, err := s.Create(t.Context(), id, int64(7+i)); ok != want || err != nil {
			t.Errorf("create %d: %t, %v, want %t", i, ok, err, want)
		}
	}
	if got := read(t, s, id)[id]; got.Count != 7 || got.Corrected.IsZero() {
		t.Errorf("counter %+v, want 7 and a time", got)
	}
}

func notes(t *testing.T, s counters.Store, id string) {
	add(t, s, id, 1)
	begin := now(t, s).Truncate(time.Second)
	for i := range counters.MaxNotes + 5 {
		if err := s.Note(t.Context(), begin.Add(time.Duration(i)*time.Second), map[string]int64{id: int64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	got := map[int64]bool{}
	for _, n := range read(t, s, id)[id].Notes {
		if !n.At.Equal(begin.Add(time.Duration(n.Count) * time.Second)) {
			t.Errorf("note %+v has the time of another", n)
		}
		got[n.Count] = true
	}
	want := map[int64]bool{}
	for i := range counters.MaxNotes {
		want[int64(i+5)] = true
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
}

func add(t *testing.T, s counters.Store, name string, n int64) int64 {
	t.Helper()
	count, err := s.Add(t.Context(), name, n)
	if err != nil {
		t.Fatal(err)
	}
	return count
}

func read(t *testing.T, s counters.Store, names ...string) map[string]counters.Counter {
	t.Helper()
	all, _, err := s.Read(t.Context(), names)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func now(t *testing.T, s counters.Store) time.Time {
	t.Helper()
	_, now, err := s.Read(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return now
}
