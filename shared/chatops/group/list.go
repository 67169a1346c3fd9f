package group

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

func (c Config) list() chatops.Command {
	return chatops.Command{
		Name: "groups", Brief: "shows how busy each group is and for whom it is kept", Role: policy.Viewer, Effect: chatops.Reads,
		Parse: func(a chatops.Args) (chatops.Call, error) {
			if err := a.End(); err != nil {
				return chatops.Call{}, err
			}
			return chatops.Call{Do: func(ctx context.Context, _ chatops.Operation) (string, error) {
				view, err := c.View.View(ctx)
				if err != nil {
					return "", chatops.Explain(err, "The state of the groups can't be read just now.")
				}
				return c.table(view, a.Zone), nil
			}}, nil
		},
	}
}

// columns is what a phone shows of a line in a fixed width.
const columns = 40

// table has one line for each group, in the file's order.
func (c Config) table(v route.View, zone *time.Location) string {
	scores := map[string]route.Candidate{}
	for _, s := range v.Candidates {
		scores[s.Group] = s
	}
	width := len("GROUP")
	for _, g := range c.Groups.Groups {
		width = max(width, min(utf8.RuneCountInString(g.ID), 14))
	}
	unit := "EMPTY IN"
	if v.Mode != route.ModeDrain {
		unit = "BACKLOG"
	}
	lines := []string{fmt.Sprintf("%-*s %8s  %s", width, "GROUP", unit, "FOR")}
	for _, g := range c.Groups.Groups {
		s, ok := scores[g.ID]
		line := fmt.Sprintf("%-*s %8s  %s", width, clip(g.ID, width), amount(s, ok, v.Mode), standing(v.Live, g.ID, v.At, zone))
		lines = append(lines, clip(line, columns))
	}
	text := chatops.Block(lines)
	switch {
	case v.Down != nil && v.At.IsZero():
		text += "\nThe store can't be read and never was: reservations are not known."
	case v.Down != nil:
		text += "\nThe store can't be read just now: this is what was last known."
	}
	return text
}

// amount is a score for people; ? where there is none, ~ where it is old.
func amount(s route.Candidate, ok bool, mode route.Mode) string {
	if !ok || math.IsNaN(s.Score) || math.IsInf(s.Score, 0) {
		return "?"
	}
	text := fmt.Sprintf("%.0f", s.Score)
	if mode == route.ModeDrain {
		text = seconds(s.Score)
	}
	switch s.Data {
	case route.Never, route.Missing:
		return "?"
	case route.Stale:
		return "~" + text
	}
	return text
}

func seconds(s float64) string {
	switch d := time.Duration(s * float64(time.Second)); {
	case s >= 360000:
		return fmt.Sprintf("%.0fd", s/86400)
	case d >= time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	case d >= time.Minute:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%.0fs", s)
}

func standing(l groups.Live, id string, now time.Time, zone *time.Location) string {
	var parts []string
	if _, ok := l.Draining[id]; ok {
		parts = append(parts, "draining")
	}
	if r, ok := l.Reservations[id]; ok && !r.Ended(now) {
		names := strings.Join(r.Customers, ",")
		if len(r.Customers) > 2 {
			names = fmt.Sprintf("%s +%d", r.Customers[0], len(r.Customers)-1)
		}
		if !r.Until.IsZero() {
			names += " to " + r.Until.In(zone).Format("Jan 2 15:04")
		}
		parts = append(parts, names)
	}
	if len(parts) == 0 {
		return "all"
	}
	return strings.Join(parts, ", ")
}

func clip(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:width-1]) + "…"
}
