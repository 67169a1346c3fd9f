package console

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
)

// done answers a change.
type done struct {
	Operation string `json:"operation"` // as the audit log has it
}

// read decodes the body of a change and names the operation by its Idempotency-Key.
func read(r *http.Request, who Person, name, target string, into any) (act, error) {
	a := act{who: who, name: name, target: target, token: r.Header.Get("Idempotency-Key")}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return a, problemOf(http.StatusUnsupportedMediaType, codeMediaType, "the body must be application/json")
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.Join(more, errors.New("there is more after the object"))
		}
	}
	var large *http.MaxBytesError
	if err != nil && !errors.As(err, &large) {
		return a, problemOf(http.StatusBadRequest, codeInvalid, "the body must be one JSON object as described: "+err.Error())
	}
	return a, err
}

func (h *Handler) apiGroup(r *http.Request, who Person) (any, error) {
	name := r.PathValue("change")
	if !slices.Contains([]string{"reserve", "release", "drain", "undrain"}, name) {
		return nil, problemOf(http.StatusNotFound, codeNotFound, "there is nothing here: see api/v1/openapi.yaml")
	}
	var c groupChange
	a, err := read(r, who, name, r.PathValue("group"), &c)
	if err != nil {
		return nil, err
	}
	op, err := h.changeGroup(r.Context(), a, c)
	return done{op}, err
}

func (h *Handler) apiResolve(r *http.Request, who Person) (any, error) {
	var c resolution
	a, err := read(r, who, "resolve", r.PathValue("id"), &c)
	if err != nil {
		return nil, err
	}
	op, err := h.resolve(r.Context(), a, c)
	return done{op}, err
}

func (h *Handler) apiLetter(r *http.Request, who Person) (any, error) {
	name := r.PathValue("change")
	if name != "replay" && name != "drop" {
		return nil, problemOf(http.StatusNotFound, codeNotFound, "there is nothing here: see api/v1/openapi.yaml")
	}
	var c letterChange
	a, err := read(r, who, name, r.PathValue("id"), &c)
	if err == nil && name == "drop" && (c.NewKey || c.Claim != "") {
		err = problemOf(http.StatusBadRequest, codeInvalid, "a letter that is dropped needs neither claim nor newKey")
	}
	if err != nil {
		return nil, err
	}
	op, err := h.changeLetter(r.Context(), a, c)
	return done{op}, err
}
