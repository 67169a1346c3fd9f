package assign

import (
	"encoding/json"
	"net/http"
)

// problem is an error by RFC 9457. Code is stable, for programs.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail,omitempty"`
}

// The codes.
const (
	codeInvalid     = "invalid-request"
	codeNotFound    = "not-found"
	codeMethod      = "method-not-allowed"
	codeTooLarge    = "too-large"
	codeMediaType   = "unsupported-media-type"
	codeNoGroup     = "no-group"
	codeUnavailable = "unavailable"
)

func fail(w http.ResponseWriter, status int, code, detail string) {
	p := problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Code: code, Detail: detail}
	write(w, status, "application/problem+json", p)
}

func answer(w http.ResponseWriter, v any) { write(w, http.StatusOK, "application/json", v) }

func write(w http.ResponseWriter, status int, media string, v any) {
	body, err := json.Marshal(v)
	if err != nil { // a score that is no number; never seen, and nothing half-written
		http.Error(w, "answer can't be encoded", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the caller has gone
}
