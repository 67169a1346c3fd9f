package console

import (
	"net/http"
)

// routes is every page, form and API operation there is.
func (h *Handler) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { redirect(w, r, "groups") })
	mux.HandleFunc("GET /static/{version}/{file}", h.pages.static)

	for path, show := range map[string]func(*http.Request, Person) (page, error){
		"/groups":       h.groupsPage,
		"/groups/live":  h.groupsLive,
		"/campaigns":    h.campaignsPage,
		"/claims":       h.claimsPage,
		"/claims/{id}":  h.claimPage,
		"/letters":      h.lettersPage,
		"/letters/{id}": h.letterPage,
		"/audit":        h.auditPage,
		"/health":       h.healthPage,
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { h.page(w, r, show) })
	}
	mux.HandleFunc("POST /groups/{group}/{change}", h.groupForm)
	mux.HandleFunc("POST /claims/{id}/resolve", h.claimForm)
	mux.HandleFunc("POST /letters/{id}/{change}", h.letterForm)
	h.api(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		who, p := h.identify(r)
		if p == nil {
			p = problemOf(http.StatusNotFound, codeNotFound, "There is no such page here.")
		}
		h.problemPage(w, r, who, p)
	})
	return mux
}

// page shows a page to whoever may see it.
func (h *Handler) page(w http.ResponseWriter, r *http.Request, show func(*http.Request, Person) (page, error)) {
	who, p := h.identify(r)
	if p != nil {
		h.refuse(w, r, p)
		return
	}
	v, err := show(r, who)
	if err != nil {
		h.problemPage(w, r, who, h.explain(r, err))
		return
	}
	v.Notice = notices[r.URL.Query().Get("done")]
	h.finish(w, r, http.StatusOK, who, v)
}

func (h *Handler) problemPage(w http.ResponseWriter, r *http.Request, who Person, p *Problem) {
	h.finish(w, r, p.Status, who, page{Template: "problem", Title: p.Title, Problem: p})
}

// finish fills in what all pages share.
func (h *Handler) finish(w http.ResponseWriter, r *http.Request, status int, who Person, v page) {
	v.Token, v.Now = h.Token(), h.Now()
	v.May = h.may(who, "resolve") // a group's own changes may need more: the act says so
	h.pages.render(w, r, status, v.Template, who, v)
}
