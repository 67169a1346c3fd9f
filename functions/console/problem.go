package console

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/route"
	"onceway.internal/shared/settle"
)

// Problem is an error by RFC 9457. Code is stable, for programs; Detail is for people.
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail,omitempty"`
}

func (p *Problem) Error() string { return p.Detail }

// The codes.
const (
	codeInvalid     = "invalid-request"
	codeSignIn      = "sign-in"
	codeRole        = "role"
	codeNotLocal    = "not-local"
	codeCrossOrigin = "cross-origin"
	codeNotFound    = "not-found"
	codeMethod      = "method-not-allowed"
	codeTooLarge    = "too-large"
	codeMediaType   = "unsupported-media-type"
	codeConflict    = "conflict"
	codeTooEarly    = "too-early"
	codeState       = "wrong-state"
	codeNoGroup     = "no-group"
	codeUnavailable = "unavailable"
)

func problemOf(status int, code, detail string) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Code: code, Detail: detail}
}

var (
	// errChanged says that what the reader saw is not what stands there now.
	errChanged = errors.New("changed since it was shown")
	// errGone says that a letter was there and is no longer.
	errGone = errors.New("letter is no longer stored")
	// errBadPage answers a page token that nobody gave out.
	errBadPage = errors.New("no such page")
)

// known are the errors that tell a person what to do.
var known = []struct {
	err    error
	status int
	code   string
	detail string
}{
	{errChanged, http.StatusConflict, codeConflict, "Somebody changed this after you opened it, and nothing was done for you. What stands there now is shown below: look again, then decide."},
	{errGone, http.StatusConflict, codeConflict, "This letter is no longer stored: somebody replayed or dropped it meanwhile."},
	{errBadPage, http.StatusBadRequest, codeInvalid, "There is no such page: go back to the first."},
	{claim.ErrPage, http.StatusBadRequest, codeInvalid, "There is no such page: go back to the first."},
	{letter.ErrPage, http.StatusBadRequest, codeInvalid, "There is no such page: go back to the first."},
	{audit.ErrPage, http.StatusBadRequest, codeInvalid, "There is no such page: go back to the first."},
	{groups.ErrConflict, http.StatusConflict, codeConflict, "Others are changing the groups at the same time. Nothing was done: try again."},
	{groups.ErrUnknownGroup, http.StatusNotFound, codeNotFound, "There is no such group."},
	{groups.ErrReserved, http.StatusConflict, codeState, "The group is reserved for other customers: release it first."},
	{groups.ErrNotReserved, http.StatusConflict, codeState, "The group is not reserved: there is nothing to release."},
	{groups.ErrInvalid, http.StatusBadRequest, codeInvalid, "Name at least one customer, and an end that is yet to come."},
	{settle.ErrAlreadyDone, http.StatusConflict, codeState, "The event has acted already, so it was not run again. Its letter may be dropped."},
	{settle.ErrNoLetter, http.StatusConflict, codeState, "The event itself is not stored yet. It is kept within a minute of parking: try again then, and if it still is not there, look at the dead-letter subscription."},
	{settle.ErrParked, http.StatusConflict, codeState, "Whether this event acted is not known: settle its claim instead."},
	{settle.ErrNeedsKey, http.StatusConflict, codeState, "The letter does not say which claim it belongs to. Name the claim, matched by payload hash, or replay it as a new event."},
	{settle.ErrForgotten, http.StatusConflict, codeState, "Its claim may have been cleaned away, and with it the proof that it acted. Make sure that it did not, then replay it as a new event."},
	{claim.ErrTooEarly, http.StatusConflict, codeTooEarly, "It is too early to say that it did not act: its owner may still be about to. See below from when on that is believed."},
	{claim.ErrState, http.StatusConflict, codeState, "The claim is in another state by now, which does not admit this."},
	{claim.ErrConflict, http.StatusConflict, codeConflict, "Somebody else settled this claim at the same moment, and nothing was done for you. What stands there now is shown below."},
	{claim.ErrNotFound, http.StatusNotFound, codeNotFound, "There is no such claim, or it was cleaned away."},
	{letter.ErrNotFound, http.StatusNotFound, codeNotFound, "There is no such letter: it may have been replayed or dropped."},
	{route.ErrNotFound, http.StatusNotFound, codeNotFound, "There is no such campaign, or its record was cleaned away."},
	{route.ErrNoGroup, http.StatusConflict, codeNoGroup, "Every group is closed to this customer, and there is no overflow topic."},
}

// explain turns an error into what is answered. Errors that nobody expects are logged
// and not shown.
func (h *Handler) explain(r *http.Request, err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return problemOf(http.StatusRequestEntityTooLarge, codeTooLarge, "That is more than 64 KiB.")
	}
	for _, k := range known {
		if errors.Is(err, k.err) {
			return problemOf(k.status, k.code, k.detail)
		}
	}
	h.Log.ErrorContext(r.Context(), "console can't answer", "event", "console.unavailable", "error", claim.Cut(err.Error(), 2048))
	return problemOf(http.StatusServiceUnavailable, codeUnavailable, "A store can't be reached just now. Nothing is lost: try again in a moment, and see Health.")
}

// refuse answers with a problem, as a page or for programs.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, p *Problem) {
	if strings.HasPrefix(r.URL.Path, "/api/") {
		writeJSON(w, p.Status, "application/problem+json", p)
		return
	}
	h.pages.render(w, r, p.Status, "problem", Person{}, page{Template: "problem", Title: p.Title, Problem: p, Now: h.Now()})
}

func writeJSON(w http.ResponseWriter, status int, media string, v any) {
	body, err := json.Marshal(v)
	if err != nil { // no value of ours fails to encode: numbers that JSON lacks are left out
		http.Error(w, "answer can't be encoded", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}
