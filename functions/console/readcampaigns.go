package console

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"onceway.internal/shared/route"
)

// Campaigns is one page of assignments, newest first.
type Campaigns struct {
	Campaigns []Campaign `json:"campaigns"`
	Next      string     `json:"next,omitempty"` // page; absent at the end
	// Searched is how many of the newest were looked through; 0 without a search.
	Searched int `json:"searched,omitempty"`
}

// Campaign is an assignment, which explains itself.
type Campaign struct {
	Campaign   string      `json:"campaign"`
	Customer   string      `json:"customer,omitempty"`
	Size       int64       `json:"size"`
	Group      string      `json:"group,omitempty"` // absent for the overflow topic
	Topic      string      `json:"topic"`
	Policy     string      `json:"policy"`
	Rule       string      `json:"rule"`
	Reason     string      `json:"reason"`
	At         *time.Time  `json:"at,omitempty"`
	Recorded   bool        `json:"recorded"`
	Candidates []Candidate `json:"candidates"`
}

// recent is how many of the newest assignments can be paged and searched; an older
// one is found by its whole ID.
const recent = 1000

func (h *Handler) readCampaigns(ctx context.Context, query, page string, limit int) (Campaigns, error) {
	from := 0
	if page != "" {
		n, err := strconv.Atoi(page)
		if err != nil || n < 0 || n > recent {
			return Campaigns{}, errBadPage
		}
		from = n
	}
	want := recent
	if query == "" {
		want = min(recent, from+limit+1)
	}
	all, err := h.State.Recent(ctx, want)
	if err != nil {
		return Campaigns{}, fmt.Errorf("read campaigns: %w", err)
	}
	out := Campaigns{Campaigns: []Campaign{}}
	if query != "" {
		out.Searched = len(all)
		if all, err = h.search(ctx, query, all); err != nil {
			return Campaigns{}, err
		}
	}
	for i := from; i < len(all) && i < from+limit; i++ {
		out.Campaigns = append(out.Campaigns, showCampaign(all[i]))
	}
	if from+limit < len(all) && from+limit < recent {
		out.Next = strconv.Itoa(from + limit)
	}
	return out, nil
}

// search finds by campaign or customer, whatever the case, among the newest; and a
// campaign of any age by its exact ID.
func (h *Handler) search(ctx context.Context, query string, newest []route.Assignment) ([]route.Assignment, error) {
	var found []route.Assignment
	exact := false
	low := strings.ToLower(query)
	for _, a := range newest {
		if strings.Contains(strings.ToLower(a.Campaign), low) || strings.Contains(strings.ToLower(a.Customer), low) {
			found = append(found, a)
			exact = exact || a.Campaign == query
		}
	}
	if exact || len(query) > route.MaxID {
		return found, nil
	}
	a, _, err := h.State.Assignment(ctx, query)
	switch {
	case errors.Is(err, route.ErrNotFound):
		return found, nil
	case err != nil:
		return nil, fmt.Errorf("read campaign: %w", err)
	}
	a.Recorded = true
	return append([]route.Assignment{a}, found...), nil
}

func showCampaign(a route.Assignment) Campaign {
	out := Campaign{
		Campaign: a.Campaign, Customer: a.Customer, Size: a.Size, Group: a.Group, Topic: a.Topic, Policy: string(a.Policy),
		Rule: string(a.Rule), Reason: a.Reason, Recorded: a.Recorded, Candidates: make([]Candidate, len(a.Candidates)),
	}
	if !a.At.IsZero() {
		out.At = &a.At
	}
	for i, c := range a.Candidates {
		out.Candidates[i] = showCandidate(c)
	}
	return out
}
