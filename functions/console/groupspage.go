package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"onceway.internal/shared/claim"
)

type groupsData struct {
	Groups
	Most   float64 // the fullest queue's backlog, which bars are measured by
	Window string
	Lasts  []last
}

// last is how long a reservation may be chosen to last.
type last struct{ Value, Text string }

var lasts = []last{
	{"", "until it is released"}, {"1h", "for 1 hour"}, {"4h", "for 4 hours"}, {"8h", "for 8 hours"},
	{"24h", "for 1 day"}, {"72h", "for 3 days"}, {"168h", "for 7 days"},
}

func (h *Handler) groupsPage(r *http.Request, _ Person) (page, error) {
	window := fallback(r.URL.Query().Get("window"), "hour")
	if _, ok := windows[window]; !ok {
		window = "hour"
	}
	d, err := h.groupsData(r)
	d.Window = window
	return page{Template: "groups", Title: "Groups", Nav: "groups", Live: "groups/live", Data: d}, err
}

// groupsLive is the parts that change by themselves.
func (h *Handler) groupsLive(r *http.Request, _ Person) (page, error) {
	d, err := h.groupsData(r)
	return page{Template: "groups-live", Data: d}, err
}

func (h *Handler) groupsData(r *http.Request) (groupsData, error) {
	g, err := h.readGroups(r.Context())
	if err != nil {
		return groupsData{}, err
	}
	past, err := h.readHistory(r.Context(), "hour")
	if err != nil { // the figures are worth more than their past
		h.Log.WarnContext(r.Context(), "history can't be read", "event", "console.history", "error", claim.Cut(err.Error(), 512))
	}
	d := groupsData{Groups: g, Lasts: lasts}
	for i := range g.Groups {
		for _, q := range g.Groups[i].Queues {
			d.Most = max(d.Most, deref(q.Backlog))
		}
		if k := slices.IndexFunc(past.Groups, func(c Column) bool { return c.Group == g.Groups[i].Group }); k >= 0 {
			g.Groups[i].Spark = spark(past.At, past.Groups[k].Score, g.Mode)
		}
	}
	return d, nil
}

func (h *Handler) groupForm(w http.ResponseWriter, r *http.Request) {
	h.form(w, r, "/groups", h.groupsPage, func(who Person) (string, error) {
		a := act{who: who, name: r.PathValue("change"), target: r.PathValue("group"), token: r.PostFormValue("token")}
		c := groupChange{Why: strings.TrimSpace(r.PostFormValue("why")), Version: r.PostFormValue("version")}
		if a.name == "reserve" {
			c.Customers = strings.FieldsFunc(r.PostFormValue("customers"), func(r rune) bool { return r == ',' || r == '\n' || r == '\r' })
			if lasts := r.PostFormValue("lasts"); lasts != "" {
				d, err := time.ParseDuration(lasts)
				if err != nil || d <= 0 {
					return "", problemOf(http.StatusBadRequest, codeInvalid, "How long the reservation lasts can't be read.")
				}
				c.lasts = d
			}
		}
		_, err := h.changeGroup(r.Context(), a, c)
		return link("groups", "done", a.name) + "#" + url.PathEscape(a.target), err
	})
}

// form makes a change. Where it fails, the page that shows what stands there now is
// answered, with the reason at its head. For htmx that is still the page at the
// address where the form stood.
func (h *Handler) form(w http.ResponseWriter, r *http.Request, stood string, show func(*http.Request, Person) (page, error), change func(Person) (string, error)) {
	who, p := h.identify(r)
	if p != nil {
		h.refuse(w, r, p)
		return
	}
	err := r.ParseForm()
	to := ""
	if err == nil {
		to, err = change(who)
	}
	if err == nil {
		redirect(w, r, to)
		return
	}
	p = h.explain(r, err)
	v, err := show(r, who)
	if err != nil {
		h.problemPage(w, r, who, p)
		return
	}
	v.Problem = p
	if r.Header.Get("HX-Request") != "" {
		w.Header().Set("HX-Push-Url", "false")
		v.stood = stood
	}
	h.finish(w, r, p.Status, who, v)
}
