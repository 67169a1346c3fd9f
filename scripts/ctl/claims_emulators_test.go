//go:build emulators

package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
	"onceway.internal/test/wait"
)

func TestClaimsAreListedAndShownWithoutObeyingThem(t *testing.T) {
	b := newBench(t)
	id := b.parked(t, "k1")
	b.take(t, "live", letter.Permanent)
	for name, args := range map[string][]string{
		"list":              {"claims", "list"},
		"list of one state": {"claims", "list", "--state", "INDETERMINATE"},
		"show":              {"claims", "show", id},
		"show by beginning": {"claims", "show", id[:12]},
		"show by key":       {"claims", "show", "--handler", "relay", "--key", "k1"},
	} {
		r := ctl(t, b.env, "", args...)
		if r.status != 0 || !strings.Contains(r.out, id[:16]) || strings.Contains(r.out, claim.ID("relay", "live")[:16]) {
			t.Errorf("%s: exit %d, said %q, printed %s", name, r.status, r.err, r.out)
		}
		inert(t, r.out)
	}
}

func TestClaimsAsJSONParse(t *testing.T) {
	b := newBench(t)
	id := b.parked(t, "k1")
	var list []claim.Stored
	if r := ctl(t, b.env, "", "-o", "json", "claims", "list"); json.Unmarshal([]byte(r.out), &list) != nil || len(list) != 1 || list[0].ID != id {
		t.Errorf("list: exit %d, printed %s", r.status, r.out)
	}
	var one claim.Stored
	if r := ctl(t, b.env, "", "claims", "show", id, "-o", "json"); json.Unmarshal([]byte(r.out), &one) != nil || one.Key != "k1" || one.Subject == "" {
		t.Errorf("show: exit %d, printed %s", r.status, r.out)
	}
	if r := ctl(t, b.with("ONCEWAY_PREFIX", "none-"), "", "-o", "json", "claims", "list"); strings.TrimSpace(r.out) != "[]" {
		t.Errorf("nothing is %q, not an empty list", r.out)
	}
}

func TestResolvingIsConfirmedAndAudited(t *testing.T) {
	b := newBench(t)
	id := b.parked(t, "k1")
	for name, c := range map[string]struct {
		env          map[string]string
		typed, actor string
		status       int
	}{
		"no":              {b.env, "n\n", actor, exitNo},
		"nothing":         {b.env, "", actor, exitNo},
		"something":       {b.env, "yesterday\n", actor, exitNo},
		"nobody":          {b.env, "y\n", "", exitUsage},
		"still protected": {b.with("ONCEWAY_SETTLE_AFTER", "1h"), "y\n", actor, exitRefused},
	} {
		r := ctl(t, c.env, c.typed, "--actor", c.actor, "--why", "looked at it", "claims", "resolve", id, "--retry")
		if r.status != c.status || b.state(t, id) != claim.Indeterminate {
			t.Errorf("%s: exit %d, want %d; state %s; said %s", name, r.status, c.status, b.state(t, id), r.err)
		}
		inert(t, r.err)
	}
	if got := b.audited(t); !cmp.Equal(got, []string{"resolve retry started", "resolve retry unknown"}) {
		t.Errorf("audited %v: only what was confirmed is an act", got)
	}
	if r := ctl(t, b.env, "Yes\n", "--why", "it acted", "claims", "resolve", id, "--done"); r.status != 0 || b.state(t, id) != claim.Done {
		t.Errorf("exit %d, state %s, said %s", r.status, b.state(t, id), r.err)
	}
	if got := b.audited(t); !slices.Contains(got, "resolve done started") || !slices.Contains(got, "resolve done done") {
		t.Errorf("audited %v", got)
	}
	if _, err := b.letters(t).Get(t.Context(), letter.ID(id, 1)); err == nil {
		t.Error("the letter of what is done is still there")
	}
	if r := ctl(t, b.env, "", "--yes", "--why", "again", "claims", "resolve", id, "--done"); r.status != exitRefused {
		t.Errorf("settling what is settled: exit %d, said %s", r.status, r.err)
	}
}

func TestResolvingAsNotDoneRunsTheEventAgainUnderItsKey(t *testing.T) {
	b := newBench(t)
	id := b.parked(t, "k1")
	wait.Until(t, time.Minute, "the lease ends", func() bool {
		return ctl(t, b.env, "", "--yes", "--why", "it did not", "claims", "resolve", id, "--retry").status == 0
	})
	got := b.published(t)
	if len(got) != 1 || got[0].Attributes[letter.AttrKey] != "k1" || got[0].Attributes[letter.AttrHandler] != "relay" || string(got[0].Data) != string(data) {
		t.Errorf("published %v", got)
	}
	if b.state(t, id) != claim.Retry {
		t.Errorf("state %s", b.state(t, id))
	}
}

func TestClaimThatIsNotThereIsSaidSo(t *testing.T) {
	b := newBench(t)
	if r := ctl(t, b.env, "", "claims", "show", claim.ID("relay", "none")); r.status != exitRefused || !strings.Contains(r.err, "not found") {
		t.Errorf("exit %d, said %s", r.status, r.err)
	}
}
