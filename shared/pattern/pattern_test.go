package pattern_test

import (
	"testing"

	"onceway.internal/shared/pattern"
)

func TestLazyMatchesAsRegexpDoes(t *testing.T) {
	t.Parallel()
	p := pattern.Lazy(`^[a-z]{2,3}$`)
	for text, want := range map[string]bool{"ab": true, "abc": true, "a": false, "abcd": false, "AB": false} {
		if got := p.MatchString(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

func TestBoundsAreOfTheWholeText(t *testing.T) {
	t.Parallel()
	p := pattern.Bounded(2, 3, `^[a-z]+$`)
	for text, want := range map[string]bool{"": false, "a": false, "ab": true, "abc": true, "abcd": false, "AB": false} {
		if got := p.MatchString(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

func TestBadPatternPanicsAtItsFirstUseAlone(t *testing.T) {
	t.Parallel()
	p := pattern.Lazy(`[`)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	p.MatchString("")
}
