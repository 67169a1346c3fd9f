package console

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/pattern"
)

// Claims is one page of claims in a state.
type Claims struct {
	Claims []Claim `json:"claims"`
	Next   string  `json:"next,omitempty"`
}

// Claim is a claim for people: no owner, no result.
type Claim struct {
	ID          string    `json:"id"`
	Handler     string    `json:"handler"`
	Key         string    `json:"key"`
	State       string    `json:"state"`
	Policy      string    `json:"policy"`
	Subject     string    `json:"subject,omitempty"`
	Summary     string    `json:"summary,omitempty"`
	OperationID string    `json:"operation"`
	Epoch       int64     `json:"epoch"`
	Attempts    int       `json:"attempts"`
	LeaseSec    float64   `json:"leaseSeconds"`
	Reason      string    `json:"reason,omitempty"`
	LastError   string    `json:"lastError,omitempty"`
	PayloadHash string    `json:"payload"`
	CreatedAt   time.Time `json:"createdAt"`
	Written     time.Time `json:"written"`    // of its last change, by the store
	Age         float64   `json:"ageSeconds"` // since then
	Trace       []Step    `json:"trace"`
	Version     string    `json:"version"`
	// RetryFrom is from when on it is believed that a parked claim did not act.
	RetryFrom *time.Time `json:"retryFrom,omitempty"`
	// RetryIn is how long that is off; 0 when it is believed already, or never.
	RetryIn float64 `json:"retryInSeconds,omitempty"`
	// Letter is the stored letter that the claim left, where there is one.
	Letter string `json:"letter,omitempty"`
}

// Step is one transition.
type Step struct {
	At    time.Time `json:"at"`
	From  string    `json:"from,omitempty"`
	To    string    `json:"to"`
	By    string    `json:"by"`
	Epoch int64     `json:"epoch"`
}

// needPerson heads the list of claims: those states need somebody.
const needPerson = "person"

// readClaims lists one state; "person" is INDETERMINATE, and when those end, DEAD.
func (h *Handler) readClaims(ctx context.Context, state, page string, limit int) (Claims, error) {
	out := Claims{Claims: []Claim{}}
	states := []claim.State{claim.State(state)}
	if state == needPerson {
		states = []claim.State{claim.Indeterminate, claim.Dead}
	} else if !slices.Contains(claim.States, states[0]) {
		return out, problemOf(400, codeInvalid, "There is no such state.")
	}
	if at, rest, ok := strings.Cut(page, "~"); ok && len(states) == 2 && at == string(claim.Dead) {
		states, page = states[1:], rest
	} else if ok {
		return out, errBadPage
	}
	for i, s := range states {
		records, next, err := h.Lister.List(ctx, s, page, limit-len(out.Claims))
		if err != nil {
			return out, fmt.Errorf("list %s claims: %w", s, err)
		}
		for _, r := range records {
			out.Claims = append(out.Claims, h.showClaim(r))
		}
		if page, out.Next = "", next; next != "" && state == needPerson && s == claim.Dead {
			out.Next = string(claim.Dead) + "~" + next
		}
		if next != "" {
			return out, nil
		}
		if len(out.Claims) == limit && i+1 < len(states) {
			out.Next = string(claim.Dead) + "~"
			return out, nil
		}
	}
	return out, nil
}

var claimID = pattern.Lazy(`^[0-9a-f]{64}$`)

func (h *Handler) readClaim(ctx context.Context, id string) (Claim, error) {
	if !claimID.MatchString(id) {
		return Claim{}, claim.ErrNotFound
	}
	r, err := h.Claims.Look(ctx, id)
	if err != nil {
		return Claim{}, err
	}
	out := h.showClaim(r)
	if l, err := h.Letters.Get(ctx, letter.ID(id, r.Epoch)); err == nil {
		out.Letter = l.ID
	} else if !errors.Is(err, letter.ErrNotFound) {
		return Claim{}, fmt.Errorf("look for the letter of claim %s: %w", id, err)
	}
	return out, nil
}

func (h *Handler) showClaim(r claim.Stored) Claim {
	out := Claim{
		ID: r.ID, Handler: r.Handler, Key: r.Key, State: string(r.State), Policy: string(r.Policy), Subject: r.Subject, Summary: r.Summary,
		OperationID: r.OperationID, Epoch: r.Epoch, Attempts: r.Attempts, LeaseSec: r.Lease.Seconds(), Reason: r.Reason, LastError: r.LastError,
		PayloadHash: r.PayloadHash, CreatedAt: r.CreatedAt, Written: r.Written, Age: r.Now.Sub(r.Written).Seconds(), Version: r.Version,
		Trace: make([]Step, len(r.Trace)),
	}
	for i, s := range r.Trace {
		out.Trace[i] = Step{At: s.At, From: string(s.From), To: string(s.To), By: s.By, Epoch: s.Epoch}
	}
	if at, err := h.Claims.SettleTime(r); err == nil {
		out.RetryFrom, out.RetryIn = &at, max(0, at.Sub(r.Now).Seconds())
	}
	return out
}
