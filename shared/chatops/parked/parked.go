// Package parked gives operators the command claims: what needs a person. It only
// shows; settling is done on the console or with ctl, where one claim can be looked at.
package parked

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/claim"
)

// Name is the command's.
const Name = "claims"

// shown is how many claims of each kind fit on a phone.
const shown = 5

// columns is what a phone shows of a line in a fixed width.
const columns = 40

// Commands answers with the command.
func Commands(claims claim.Lister) ([]chatops.Command, error) {
	if claims == nil {
		return nil, errors.New("claims command: no claims")
	}
	return []chatops.Command{{
		Name: Name, Brief: "shows what needs a person", Role: policy.Viewer, Effect: chatops.Reads,
		Parse: func(a chatops.Args) (chatops.Call, error) {
			if err := a.End(); err != nil {
				return chatops.Call{}, err
			}
			return chatops.Call{Do: func(ctx context.Context, _ chatops.Operation) (string, error) {
				text, err := list(ctx, claims)
				return text, chatops.Explain(err, "The claims can't be read just now.")
			}}, nil
		},
	}}, nil
}

func list(ctx context.Context, claims claim.Lister) (string, error) {
	var lines []string
	for _, kind := range []struct {
		state claim.State
		title string
	}{{claim.Indeterminate, "May have happened"}, {claim.Dead, "Given up"}} {
		found, next, err := claims.List(ctx, kind.state, "", shown)
		if err != nil {
			return "", fmt.Errorf("list claims in %s: %w", kind.state, err)
		}
		if len(found) == 0 {
			continue
		}
		lines = append(lines, kind.title)
		for _, s := range found {
			lines = append(lines,
				clip(fmt.Sprintf(" %.12s %s, %s ago", s.ID, s.Handler, age(s.Now.Sub(s.Written)))),
				clip("   "+strings.Join(strings.Fields(s.Summary), " ")))
		}
		if next != "" {
			lines = append(lines, "   … and more")
		}
	}
	if len(lines) == 0 {
		return "Nothing needs a person.", nil
	}
	return chatops.Block(lines) + "\nSettle them on the console, or with `ctl claims show ID`.", nil
}

func age(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	case d >= time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dm", int(max(d, 0).Minutes()))
}

func clip(s string) string {
	if utf8.RuneCountInString(s) <= columns {
		return s
	}
	return string([]rune(s)[:columns-1]) + "…"
}
