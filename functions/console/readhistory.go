package console

import (
	"context"
	"fmt"
	"time"

	"onceway.internal/shared/route"
)

// History is what Score saw, one column of values for each group: ready to be drawn.
type History struct {
	At     []int64  `json:"at"` // Unix seconds
	Groups []Column `json:"groups"`
}

// Column is one group's values; null where there was none.
type Column struct {
	Group   string     `json:"group"`
	Score   []*float64 `json:"score"`   // seconds in mode drain, else messages
	Backlog []*float64 `json:"backlog"` // messages, over all queues
}

// windows are the spans that a chart may show.
var windows = map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour}

// maxPoints is what a chart draws at most: more than its pixels help nobody.
const maxPoints = 720

func (h *Handler) readHistory(ctx context.Context, window string) (History, error) {
	span, ok := windows[window]
	if !ok {
		return History{}, problemOf(400, codeInvalid, "The window is hour or day.")
	}
	past, err := h.State.History(ctx, h.Now().Add(-span))
	if err != nil {
		return History{}, fmt.Errorf("read history: %w", err)
	}
	if step := (len(past) + maxPoints - 1) / maxPoints; step > 1 {
		var fewer []route.Past
		for i := len(past) - 1; i >= 0; i -= step { // from the end: the newest is always there
			fewer = append([]route.Past{past[i]}, fewer...)
		}
		past = fewer
	}
	out := History{At: make([]int64, len(past)), Groups: make([]Column, len(h.Groups.Groups))}
	for i, p := range past {
		out.At[i] = p.At.Unix()
	}
	for i, g := range h.Groups.Groups {
		out.Groups[i] = column(g.ID, past)
	}
	return out, nil
}

func column(group string, past []route.Past) Column {
	c := Column{Group: group, Score: make([]*float64, len(past)), Backlog: make([]*float64, len(past))}
	for i, p := range past {
		for _, cand := range p.Groups {
			if cand.Group == group && cand.Data != route.Never {
				c.Score[i] = finite(cand.Score)
			}
		}
		if queues, ok := p.Backlogs[group]; ok {
			sum := 0.0
			for _, b := range queues {
				sum += b
			}
			c.Backlog[i] = finite(sum)
		}
	}
	return c
}
