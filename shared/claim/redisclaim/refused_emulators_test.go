//go:build emulators

package redisclaim_test

import (
	"errors"
	"strings"
	"testing"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/redisclaim"
)

// TestWhatWaitingCannotMendIsUnusable: whoever opens a store tries again for what else
// goes wrong.
func TestWhatWaitingCannotMendIsUnusable(t *testing.T) {
	t.Parallel()
	free, guarded := start(t), start(t, "--requirepass", "s3cret")
	for name, c := range map[string]struct {
		url   string
		mends bool
	}{
		"no password":               {guarded.URL, false},
		"wrong password":            {strings.Replace(guarded.URL, "//", "//:guess@", 1), false},
		"no such user":              {strings.Replace(free.URL, "//", "//nobody:guess@", 1), false},
		"no such database":          {strings.Replace(free.URL, "/0", "/99", 1), false},
		"an address that is no URL": {"localhost:6379", false},
		"nobody listens":            {"redis://127.0.0.1:1/0", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, err := redisclaim.Open(c.url)
			if err == nil {
				defer client.Close()
				_, err = open(t, client, "").Get(t.Context(), claim.ID("", ""))
			}
			if err == nil || errors.Is(err, claim.ErrNotFound) || errors.Is(err, claim.ErrUnusable) == c.mends {
				t.Errorf("it answered %v", err)
			}
		})
	}
}
