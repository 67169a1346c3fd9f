package assign

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"onceway.internal/shared/route"
)

// maxBody bounds a request: a campaign's ID, customer and size.
const maxBody = 64 << 10

type assignmentRequest struct {
	Campaign string `json:"campaign"`
	Customer string `json:"customer"`
	Size     int64  `json:"size"`
}

type assignmentAnswer struct {
	Campaign   string      `json:"campaign"`
	Group      string      `json:"group,omitempty"`
	Topic      string      `json:"topic"`
	Size       int64       `json:"size"`
	Policy     string      `json:"policy"`
	Rule       string      `json:"rule"`
	Reason     string      `json:"reason"`
	Recorded   bool        `json:"recorded"`
	Repeated   bool        `json:"repeated"`
	At         *time.Time  `json:"at,omitempty"`
	Candidates []candidate `json:"candidates"`
}

// candidate is a group as it stood in a choice, or stands now.
type candidate struct {
	Group      string  `json:"group"`
	Score      float64 `json:"score"`
	Sampled    float64 `json:"sampled"`
	Correction float64 `json:"correction"`
	Data       string  `json:"data"`
	SampleAge  float64 `json:"sampleAgeSeconds"`
	Capacity   float64 `json:"capacity"`
	Why        string  `json:"why,omitempty"`
}

func (h *Handler) assign(w http.ResponseWriter, r *http.Request) {
	req, ok := readRequest(w, r)
	if !ok {
		return
	}
	c := route.Campaign{ID: req.Campaign, Customer: req.Customer, Size: req.Size}
	if err := c.Validate(); err != nil {
		fail(w, http.StatusBadRequest, codeInvalid, err.Error())
		return
	}
	a, err := h.Router.Assign(r.Context(), c)
	switch {
	case errors.Is(err, route.ErrNoGroup):
		fail(w, http.StatusConflict, codeNoGroup, "every group is closed to this customer, and there is no overflow topic")
	case err != nil:
		h.Log.WarnContext(r.Context(), "campaign is not assigned", "campaign", c.ID, "error", err)
		fail(w, http.StatusServiceUnavailable, codeUnavailable, "not answered in time")
	default:
		answer(w, shown(a))
	}
}

func readRequest(w http.ResponseWriter, r *http.Request) (req assignmentRequest, ok bool) {
	if t := r.Header.Get("Content-Type"); t != "" {
		if media, _, err := mime.ParseMediaType(t); err != nil || media != "application/json" {
			fail(w, http.StatusUnsupportedMediaType, codeMediaType, "the body must be application/json")
			return req, false
		}
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(&req)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = more
			if err == nil {
				err = errors.New("there is more after the object")
			}
		}
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		fail(w, http.StatusRequestEntityTooLarge, codeTooLarge, "the body is over 64 KiB")
	case err != nil:
		fail(w, http.StatusBadRequest, codeInvalid, "the body must be one JSON object of campaign, customer and size: "+err.Error())
	}
	return req, err == nil
}

func shown(a route.Assignment) assignmentAnswer {
	out := assignmentAnswer{
		Campaign: a.Campaign, Group: a.Group, Topic: a.Topic, Size: a.Size, Policy: string(a.Policy),
		Rule: string(a.Rule), Reason: a.Reason, Recorded: a.Recorded, Repeated: a.Repeated,
		Candidates: make([]candidate, len(a.Candidates)),
	}
	if !a.At.IsZero() {
		out.At = &a.At
	}
	for i, c := range a.Candidates {
		out.Candidates[i] = shownCandidate(c)
	}
	return out
}

func shownCandidate(c route.Candidate) candidate {
	return candidate{
		Group: c.Group, Score: c.Score, Sampled: c.Sampled, Correction: c.Correction, Data: string(c.Data),
		SampleAge: c.SampleAge.Seconds(), Capacity: c.Capacity, Why: c.Why,
	}
}
