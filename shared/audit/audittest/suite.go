// Package audittest is what every audit.Log has to pass.
package audittest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/audit"
)

// Run tests a backend; open returns an empty log for each call.
func Run(t *testing.T, open func(t *testing.T) audit.Log) {
	for name, test := range map[string]func(*testing.T, audit.Log){
		"an entry comes back as it was recorded":          roundTrip,
		"a repeat keeps the first entry":                  repeat,
		"repeats at once leave one entry":                 repeatsAtOnce,
		"pages are newest first and miss nothing":         pages,
		"entries of one moment are paged in stable order": oneMoment,
		"an incomplete entry is refused":                  incomplete,
		"a page that was never given is refused":          unknownPage,
		"long texts are cut, not refused":                 longTexts,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 123456000, time.UTC)

func entry(id string, at time.Time) audit.Entry {
	return audit.Entry{
		ID: id, At: at, Actor: "ann@acme.example", Action: "reserve", Target: "dg02", Reason: "launch",
		Before: "free", After: "reserved for acme", Via: audit.Chat, Outcome: audit.Done,
	}
}

func record(t *testing.T, log audit.Log, entries ...audit.Entry) {
	t.Helper()
	for _, e := range entries {
		if err := log.Record(t.Context(), e); err != nil {
			t.Fatalf("Record(%s): %v", e.ID, err)
		}
	}
}

// all pages through the log, failing when it does not end.
func all(t *testing.T, log audit.Log, limit int) []audit.Entry {
	t.Helper()
	var entries []audit.Entry
	page := ""
	for range 100 {
		got, next, err := log.List(t.Context(), page, limit)
		if err != nil {
			t.Fatalf("List(%q): %v", page, err)
		}
		if len(got) > limit {
			t.Fatalf("List gave %d entries, limit %d", len(got), limit)
		}
		entries = append(entries, got...)
		if next == "" {
			return entries
		}
		page = next
	}
	t.Fatal("paging does not end")
	return nil
}

func roundTrip(t *testing.T, log audit.Log) {
	e := entry("op/1 ünïcode", noon)
	record(t, log, e)
	if diff := cmp.Diff([]audit.Entry{e}, all(t, log, 10)); diff != "" {
		t.Error(diff)
	}
}

func repeat(t *testing.T, log audit.Log) {
	first, second := entry("op", noon), entry("op", noon.Add(time.Hour))
	second.Outcome = audit.Failed
	record(t, log, first, second)
	if diff := cmp.Diff([]audit.Entry{first}, all(t, log, 10)); diff != "" {
		t.Error(diff)
	}
}

func repeatsAtOnce(t *testing.T, log audit.Log) {
	var wg sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		wg.Go(func() { errs[i] = log.Record(t.Context(), entry("op", noon)) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if got := all(t, log, 10); len(got) != 1 {
		t.Errorf("%d entries, want 1", len(got))
	}
}

func pages(t *testing.T, log audit.Log) {
	var want []audit.Entry
	for i := range 7 {
		want = append(want, entry(fmt.Sprint("op", i), noon.Add(-time.Duration(i)*time.Microsecond)))
	}
	for _, i := range []int{3, 0, 6, 1, 5, 2, 4} {
		record(t, log, want[i])
	}
	for limit := 1; limit <= 8; limit++ {
		if diff := cmp.Diff(want, all(t, log, limit)); diff != "" {
			t.Errorf("limit %d: %s", limit, diff)
		}
	}
}

func oneMoment(t *testing.T, log audit.Log) {
	for i := range 5 {
		record(t, log, entry(fmt.Sprint("op", i), noon))
	}
	want := all(t, log, 10)
	if len(want) != 5 {
		t.Fatalf("%d entries, want 5", len(want))
	}
	if diff := cmp.Diff(want, all(t, log, 2)); diff != "" {
		t.Error(diff)
	}
}

func incomplete(t *testing.T, log audit.Log) {
	for name, spoil := range map[string]func(*audit.Entry){
		"no ID":           func(e *audit.Entry) { e.ID = "" },
		"no time":         func(e *audit.Entry) { e.At = time.Time{} },
		"no actor":        func(e *audit.Entry) { e.Actor = "" },
		"no action":       func(e *audit.Entry) { e.Action = "" },
		"unknown door":    func(e *audit.Entry) { e.Via = "window" },
		"unknown outcome": func(e *audit.Entry) { e.Outcome = "perhaps" },
	} {
		e := entry("op", noon)
		spoil(&e)
		if err := log.Record(t.Context(), e); err == nil {
			t.Errorf("%s: recorded", name)
		}
	}
	if got := all(t, log, 10); len(got) != 0 {
		t.Errorf("refused entries were kept: %v", got)
	}
}

func unknownPage(t *testing.T, log audit.Log) {
	for _, page := range []string{"!", "bm9wZQ"} {
		if _, _, err := log.List(t.Context(), page, 1); !errors.Is(err, audit.ErrPage) {
			t.Errorf("List(%q): %v, want ErrPage", page, err)
		}
	}
}

func longTexts(t *testing.T, log audit.Log) {
	e := entry("op", noon)
	e.Reason = strings.Repeat("ü", audit.MaxReason)
	e.After = "broken \xff"
	record(t, log, e)
	got := all(t, log, 1)
	if len(got) != 1 || len(got[0].Reason) > audit.MaxReason || !strings.HasSuffix(got[0].Reason, "ü…") {
		t.Errorf("reason was not cut at a rune: %q", got)
	}
	if got[0].After != "broken \uFFFD" {
		t.Errorf("After = %q", got[0].After)
	}
}
