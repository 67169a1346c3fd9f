package console

import (
	"net/http"
	"net/url"
	"strings"

	"onceway.internal/shared/claim"
)

// rows is how many entries a page of a list has.
const rows = 25

type campaignsData struct {
	Campaigns
	paging
	Query string
	Mode  string
}

func (h *Handler) campaignsPage(r *http.Request, _ Person) (page, error) {
	q := r.URL.Query()
	d := campaignsData{Query: strings.TrimSpace(q.Get("q")), Mode: "drain"}
	var err error
	if d.Campaigns, err = h.readCampaigns(r.Context(), d.Query, q.Get("page"), rows); err != nil {
		return page{}, err
	}
	if v, err := h.Router.View(r.Context()); err == nil {
		d.Mode = string(v.Mode)
	}
	d.of("campaigns", q.Get("page"), d.Next, "q", d.Query)
	return page{Template: "campaigns", Title: "Campaigns", Nav: "campaigns", Data: d}, nil
}

type claimsData struct {
	Claims
	paging
	State  string
	States []string
}

func (h *Handler) claimsPage(r *http.Request, _ Person) (page, error) {
	q := r.URL.Query()
	d := claimsData{State: fallback(q.Get("state"), needPerson), States: []string{needPerson}}
	for _, s := range claim.States {
		d.States = append(d.States, string(s))
	}
	var err error
	if d.Claims, err = h.readClaims(r.Context(), d.State, q.Get("page"), rows); err != nil {
		return page{}, err
	}
	d.of("claims", q.Get("page"), d.Next, "state", q.Get("state"))
	return page{Template: "claims", Title: "Claims", Nav: "claims", Data: d}, nil
}

func (h *Handler) claimPage(r *http.Request, _ Person) (page, error) {
	c, err := h.readClaim(r.Context(), r.PathValue("id"))
	return page{Template: "claim", Title: "Claim " + c.ID[:min(12, len(c.ID))], Nav: "claims", Data: c}, err
}

func (h *Handler) claimForm(w http.ResponseWriter, r *http.Request) {
	h.form(w, r, "/claims/x", h.claimPage, func(who Person) (string, error) {
		c := resolution{As: r.PostFormValue("as"), Why: strings.TrimSpace(r.PostFormValue("why")), Version: r.PostFormValue("version")}
		a := act{who: who, name: "resolve", target: r.PathValue("id"), token: r.PostFormValue("token")}
		_, err := h.resolve(r.Context(), a, c)
		return link("claims/"+url.PathEscape(a.target), "done", c.As), err
	})
}

type lettersData struct {
	Letters
	paging
}

func (h *Handler) lettersPage(r *http.Request, _ Person) (page, error) {
	at := r.URL.Query().Get("page")
	var d lettersData
	var err error
	if d.Letters, err = h.readLetters(r.Context(), at, rows); err != nil {
		return page{}, err
	}
	d.of("letters", at, d.Next)
	return page{Template: "letters", Title: "Dead letters", Nav: "letters", Data: d}, nil
}

func (h *Handler) letterPage(r *http.Request, who Person) (page, error) {
	l, err := h.readLetter(r.Context(), r.PathValue("id"), who, r.URL.Query().Get("body") == "true")
	return page{Template: "letter", Title: "Dead letter", Nav: "letters", Data: l}, err
}

func (h *Handler) letterForm(w http.ResponseWriter, r *http.Request) {
	h.form(w, r, "/letters/x", h.letterPage, func(who Person) (string, error) {
		a := act{who: who, name: r.PathValue("change"), target: r.PathValue("id"), token: r.PostFormValue("token")}
		if a.name != "replay" && a.name != "drop" {
			return "", problemOf(http.StatusNotFound, codeNotFound, "There is no such page here.")
		}
		c := letterChange{Why: strings.TrimSpace(r.PostFormValue("why"))}
		if a.name == "replay" {
			c.Claim, c.NewKey = strings.TrimSpace(r.PostFormValue("claim")), r.PostFormValue("newkey") == "yes"
		}
		_, err := h.changeLetter(r.Context(), a, c)
		return link("letters", "done", a.name), err
	})
}

type auditData struct {
	Audit
	paging
}

func (h *Handler) auditPage(r *http.Request, _ Person) (page, error) {
	at := r.URL.Query().Get("page")
	var d auditData
	var err error
	if d.Audit, err = h.readAudit(r.Context(), at, rows); err != nil {
		return page{}, err
	}
	d.of("audit", at, d.Next)
	return page{Template: "audit", Title: "Audit", Nav: "audit", Data: d}, nil
}

func (h *Handler) healthPage(r *http.Request, _ Person) (page, error) {
	return page{Template: "health", Title: "Health", Nav: "health", Data: h.readHealth(r.Context())}, nil
}
