package console

import (
	"context"
	_ "embed"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"onceway.internal/shared/route"
)

//go:embed openapi.yaml
var openAPI []byte

// OpenAPI is the description of the JSON API.
func OpenAPI() []byte { return append([]byte(nil), openAPI...) }

// endpoint is one operation of the API.
type endpoint struct {
	method, path string
	answer       func(r *http.Request, who Person) (any, error)
}

func (h *Handler) endpoints() []endpoint {
	get, post := http.MethodGet, http.MethodPost
	return []endpoint{
		{get, "/me", func(_ *http.Request, who Person) (any, error) { return who, nil }},
		{get, "/groups", func(r *http.Request, _ Person) (any, error) { return h.readGroups(r.Context()) }},
		{get, "/groups/history", func(r *http.Request, _ Person) (any, error) {
			return h.readHistory(r.Context(), fallback(r.FormValue("window"), "hour"))
		}},
		{post, "/groups/{group}/{change}", h.apiGroup},
		{get, "/preview", h.apiPreview},
		{get, "/campaigns", listed(func(ctx context.Context, r *http.Request, page string, limit int) (any, error) {
			return h.readCampaigns(ctx, r.FormValue("q"), page, limit)
		})},
		{get, "/claims", listed(func(ctx context.Context, r *http.Request, page string, limit int) (any, error) {
			return h.readClaims(ctx, fallback(r.FormValue("state"), needPerson), page, limit)
		})},
		{get, "/claims/{id}", func(r *http.Request, _ Person) (any, error) { return h.readClaim(r.Context(), r.PathValue("id")) }},
		{post, "/claims/{id}/resolve", h.apiResolve},
		{get, "/letters", listed(func(ctx context.Context, _ *http.Request, page string, limit int) (any, error) {
			return h.readLetters(ctx, page, limit)
		})},
		{get, "/letters/{id}", func(r *http.Request, who Person) (any, error) {
			return h.readLetter(r.Context(), r.PathValue("id"), who, r.FormValue("body") == "true")
		}},
		{post, "/letters/{id}/{change}", h.apiLetter},
		{get, "/audit", listed(func(ctx context.Context, _ *http.Request, page string, limit int) (any, error) {
			return h.readAudit(ctx, page, limit)
		})},
		{get, "/health", func(r *http.Request, _ Person) (any, error) { return h.readHealth(r.Context()), nil }},
	}
}

func fallback(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// listed reads the page and its length.
func listed(list func(ctx context.Context, r *http.Request, page string, limit int) (any, error)) func(*http.Request, Person) (any, error) {
	return func(r *http.Request, _ Person) (any, error) {
		limit := 50
		if text := r.FormValue("limit"); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > 500 {
				return nil, problemOf(http.StatusBadRequest, codeInvalid, "limit is a number from 1 to 500")
			}
			limit = n
		}
		return list(r.Context(), r, r.FormValue("page"), limit)
	}
}

// api registers the API under /api/v1, every answer of it JSON.
func (h *Handler) api(mux *http.ServeMux) {
	byPath := map[string][]endpoint{}
	for _, e := range h.endpoints() {
		byPath[e.path] = append(byPath[e.path], e)
	}
	for path, es := range byPath {
		mux.HandleFunc("/api/v1"+path, func(w http.ResponseWriter, r *http.Request) {
			i := slices.IndexFunc(es, func(e endpoint) bool {
				return e.method == r.Method || e.method == http.MethodGet && r.Method == http.MethodHead
			})
			if i < 0 {
				w.Header().Set("Allow", es[0].method)
				h.refuse(w, r, problemOf(http.StatusMethodNotAllowed, codeMethod, "only "+es[0].method))
				return
			}
			h.answer(w, r, es[i])
		})
	}
	mux.HandleFunc("/api/v1/openapi.yaml", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/yaml")
		_, _ = w.Write(openAPI)
	})
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		h.refuse(w, r, problemOf(http.StatusNotFound, codeNotFound, "there is nothing here: see api/v1/openapi.yaml"))
	})
}

func (h *Handler) answer(w http.ResponseWriter, r *http.Request, e endpoint) {
	who, p := h.identify(r)
	if p != nil {
		h.refuse(w, r, p)
		return
	}
	v, err := e.answer(r, who)
	if err != nil {
		h.refuse(w, r, h.explain(r, err))
		return
	}
	writeJSON(w, http.StatusOK, "application/json", v)
}

func (h *Handler) apiPreview(r *http.Request, _ Person) (any, error) {
	c := route.Campaign{ID: strings.TrimSpace(r.FormValue("campaign")), Customer: r.FormValue("customer")}
	if text := r.FormValue("size"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, problemOf(http.StatusBadRequest, codeInvalid, "size is a number of messages")
		}
		c.Size = n
	}
	if err := c.Validate(); err != nil {
		return nil, problemOf(http.StatusBadRequest, codeInvalid, err.Error())
	}
	a, err := h.Router.Preview(r.Context(), c)
	if err != nil {
		return nil, err
	}
	return showCampaign(a), nil
}
