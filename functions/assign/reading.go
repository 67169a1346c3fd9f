package assign

import (
	"errors"
	"net/http"
	"time"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

type recommendationAnswer struct {
	Queue      string                `json:"queue"`
	Drawn      string                `json:"drawn"` // one topic, by weight
	Topics     []route.WeightedTopic `json:"topics"`
	ValidUntil time.Time             `json:"validUntil"`
	Rule       string                `json:"rule"`
}

func (h *Handler) recommend(w http.ResponseWriter, r *http.Request) {
	queue := r.PathValue("queue")
	if !hasQueue(h.Router.Groups(), queue) {
		fail(w, http.StatusNotFound, codeNotFound, "no group has such a queue")
		return
	}
	rec, now, err := h.Advice.Recommendation(r.Context(), queue)
	if err != nil && !errors.Is(err, route.ErrNotFound) {
		h.Log.WarnContext(r.Context(), "recommendation can't be read", "queue", queue, "error", err)
	}
	if err != nil || !now.Before(rec.ValidUntil) { // expired means absent
		if rec, err = h.blind(r, queue); err != nil {
			fail(w, http.StatusServiceUnavailable, codeUnavailable, "not answered in time")
			return
		}
	}
	drawn, ok := rec.Draw(h.Rand())
	if !ok {
		fail(w, http.StatusConflict, codeNoGroup, "every group with this queue is reserved or draining")
		return
	}
	answer(w, recommendationAnswer{Queue: queue, Drawn: drawn.Topic, Topics: rec.Topics, ValidUntil: rec.ValidUntil, Rule: string(rec.Rule)})
}

// blind recommends without a valid recommendation, by what is known of reservations.
func (h *Handler) blind(r *http.Request, queue string) (route.Recommendation, error) {
	v, err := h.Router.View(r.Context())
	if err != nil {
		return route.Recommendation{}, err
	}
	if v.At.IsZero() {
		return h.Router.RecommendBlind(nil, queue, v.At), nil
	}
	return h.Router.RecommendBlind(&v.Live, queue, v.At), nil
}

func hasQueue(c groups.Config, name string) bool {
	for _, g := range c.Groups {
		if _, ok := g.Queue(name); ok {
			return true
		}
	}
	return false
}

type groupsAnswer struct {
	At           *time.Time `json:"at,omitempty"` // the store's time; absent when it was never read
	StateDown    bool       `json:"stateDown"`
	Policy       string     `json:"policy"`
	Mode         string     `json:"mode"`
	Default      string     `json:"default"`      // group
	DefaultTopic string     `json:"defaultTopic"` // its first topic
	Overflow     string     `json:"overflow,omitempty"`
	Groups       []group    `json:"groups"`
}

type group struct {
	candidate
	Topic       string       `json:"topic"` // where campaigns enter
	Open        bool         `json:"open"`
	Draining    bool         `json:"draining"`
	Reservation *reservation `json:"reservation,omitempty"`
}

type reservation struct {
	Customers []string   `json:"customers"`
	Until     *time.Time `json:"until,omitempty"`
	Note      string     `json:"note,omitempty"`
}

func (h *Handler) groups(w http.ResponseWriter, r *http.Request) {
	v, err := h.Router.View(r.Context())
	if err != nil {
		fail(w, http.StatusServiceUnavailable, codeUnavailable, "not answered in time")
		return
	}
	c := h.Router.Groups()
	out := groupsAnswer{
		StateDown: v.Down != nil, Policy: string(v.Policy), Mode: string(v.Mode),
		Default: c.Default, DefaultTopic: c.DefaultTopic(), Overflow: c.Overflow, Groups: make([]group, len(c.Groups)),
	}
	if !v.At.IsZero() {
		out.At = &v.At
	}
	for i, g := range c.Groups {
		out.Groups[i] = shownGroup(g, v)
	}
	for i, cand := range v.Candidates { // in the file's order, as the groups are
		out.Groups[i].candidate = shownCandidate(cand)
	}
	answer(w, out)
}

func shownGroup(g groups.Group, v route.View) group {
	out := group{candidate: candidate{Group: g.ID, Data: string(route.Never)}, Topic: g.Topic(), Open: g.Open}
	_, out.Draining = v.Live.Draining[g.ID]
	if res, ok := v.Live.Reservations[g.ID]; ok && !res.Ended(v.At) {
		out.Reservation = &reservation{Customers: res.Customers, Note: res.Note}
		if !res.Until.IsZero() {
			out.Reservation.Until = &res.Until
		}
	}
	return out
}
