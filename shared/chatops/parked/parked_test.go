package parked_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/parked"
	"onceway.internal/shared/claim"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

type claims map[claim.State][]claim.Stored

func (c claims) List(_ context.Context, state claim.State, _ string, limit int) ([]claim.Stored, string, error) {
	if c == nil {
		return nil, "", errors.New("down")
	}
	all := c[state]
	if len(all) > limit {
		return all[:limit], "more", nil
	}
	return all, "", nil
}

func stored(n int, state claim.State, summary string) claim.Stored {
	return claim.Stored{
		Record: claim.Record{ID: claim.ID("chat", fmt.Sprint(n)), Handler: "chat", State: state, Summary: summary},
		Now:    noon, Written: noon.Add(-time.Duration(n) * 20 * time.Hour),
	}
}

func ask(t *testing.T, c claims) (string, error) {
	t.Helper()
	commands, err := parked.Commands(c)
	if err != nil {
		t.Fatal(err)
	}
	set, err := chatops.NewSet(time.UTC, commands...)
	if err != nil {
		t.Fatal(err)
	}
	_, call, err := set.Parse("claims", noon)
	if err != nil {
		t.Fatal(err)
	}
	return call.Do(t.Context(), chatops.Operation{})
}

func TestWhatNeedsAPersonFitsAPhone(t *testing.T) {
	t.Parallel()
	c := claims{claim.Done: {stored(1, claim.Done, "finished")}}
	for n := range 9 {
		c[claim.Indeterminate] = append(c[claim.Indeterminate], stored(n, claim.Indeterminate, "restart deployment shop/a-long-name-of-a-deployment"))
		c[claim.Dead] = append(c[claim.Dead], stored(n, claim.Dead, "relay <users/all>"))
	}
	text, err := ask(t, c)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"May have happened", "Given up", "chat, 20h ago", "chat, 3d ago", "… and more", claim.ID("chat", "1")[:12]} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "finished") || strings.Contains(text, "<users") {
		t.Errorf("it shows what it should not:\n%s", text)
	}
	for _, line := range strings.Split(text[:strings.LastIndex(text, "\n")], "\n") {
		if utf8.RuneCountInString(line) > 40 {
			t.Errorf("too wide: %q", line)
		}
	}
}

func TestNothingIsSaidPlainlyAndAFailureIsOne(t *testing.T) {
	t.Parallel()
	if text, err := ask(t, claims{}); err != nil || text != "Nothing needs a person." {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := ask(t, nil); err == nil || chatops.Explanation(err) != "The claims can't be read just now." {
		t.Errorf("%v", err)
	}
}
