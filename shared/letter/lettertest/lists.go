package lettertest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"onceway.internal/shared/letter"
)

func testList(t *testing.T, open Open, space string) {
	s := open(t, space)
	if letters := listAll(t, s, 10); len(letters) > 0 {
		t.Fatalf("%d letters are listed in an empty store", len(letters))
	}
	want := map[string]letter.Letter{}
	for i := range 45 {
		l := sample(fmt.Sprint("letter ", i), []byte{byte(i)})
		mustPut(t, s, l)
		want[l.ID] = l
	}
	for _, limit := range []int{1, 7, 45, 1000} {
		got := listAll(t, s, limit)
		if len(got) != len(want) {
			t.Errorf("%d letters in pages of %d, want %d", len(got), limit, len(want))
		}
		for _, l := range got {
			if l.Data != nil {
				t.Errorf("List answered with the data of %s", l.Key)
			}
			w := want[l.ID]
			w.Data = nil
			same(t, w, l)
		}
	}
}

// listAll pages through all letters and refuses one that comes twice.
func listAll(t *testing.T, s letter.Store, limit int) []letter.Letter {
	t.Helper()
	var all []letter.Letter
	seen := map[string]bool{}
	for page, pages := "", 0; ; pages++ {
		letters, next, err := s.List(t.Context(), page, limit)
		if err != nil {
			t.Fatalf("List: %v", err)
		}
		if len(letters) > limit {
			t.Fatalf("List answered %d letters at a limit of %d", len(letters), limit)
		}
		for _, l := range letters {
			if seen[l.ID] {
				t.Errorf("%s was listed twice", l.ID)
			}
			seen[l.ID] = true
		}
		all = append(all, letters...)
		if next == "" {
			return all
		}
		if pages > 1000 {
			t.Fatal("List never ends")
		}
		page = next
	}
}

func testListArguments(t *testing.T, open Open, space string) {
	for _, limit := range []int{-1, 0, 1001} {
		if _, _, err := open(t, space).List(t.Context(), "", limit); err == nil {
			t.Errorf("List took a limit of %d", limit)
		}
	}
	for _, page := range []string{"x", "x y", "2026-01-02T03:04:05Z \xff/\x00", "nan /", strings.Repeat("/", 100)} {
		if _, _, err := open(t, space).List(t.Context(), page, 10); !errors.Is(err, letter.ErrPage) {
			t.Errorf("List from page %q answered %v, want ErrPage", page, err)
		}
	}
}
