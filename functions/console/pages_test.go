package console_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"onceway.internal/functions/console"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/route"
)

const hostile = "<script>alert(1)</script>\u202egnp.exe\u2066\x00'\"&"

// Whatever others stored, a page shows it as text.
func TestHostileTextIsShownAndDoesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.parked(hostile)
	w.put(letter.Letter{ID: "l-1", Key: hostile, Handler: hostile, Reason: hostile, Error: hostile, Source: hostile, Topic: hostile,
		Attributes: map[string]string{hostile: hostile}, Data: []byte(hostile), PublishedAt: time.Now()})
	a := route.Assignment{Campaign: hostile + strings.Repeat("x", 300), Customer: hostile, Reason: hostile, Rule: route.Rule(hostile), Group: "dg01", Topic: "t", At: time.Now(), Token: "a"}
	if _, err := w.state.Commit(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	f := w.form("/groups", "groups/dg01/reserve")
	f.Set("customers", hostile)
	f.Set("why", hostile)
	if rec := w.post("/groups/dg01/reserve", f); rec.Code != http.StatusSeeOther {
		t.Fatal(rec.Code)
	}
	inline := regexp.MustCompile(`<script[^>]*>[^<]|<[^>]+ (on\w+|style)=|javascript:`)
	for _, path := range []string{"/groups", "/groups/live", "/campaigns", "/campaigns?q=%3Cscript%3E", "/claims", "/claims/" + id, "/letters", "/letters/l-1?body=true", "/audit", "/health", "/nowhere"} {
		rec := w.get(path)
		body := rec.Body.String()
		if rec.Code >= 500 || strings.Contains(body, "<script>") || strings.Contains(body, "\u202e") || strings.Contains(body, "\u2066") || strings.ContainsRune(body, 0) {
			t.Errorf("%s (%d) lets hostile text through", path, rec.Code)
		}
		if m := inline.FindString(body); m != "" {
			t.Errorf("%s has inline script or style, which the policy forbids: %q", path, m)
		}
		if path != "/health" && path != "/nowhere" && !strings.Contains(body, "&lt;script&gt;") {
			t.Errorf("%s does not show the text at all", path)
		}
	}
}

func TestHeadersKeepStrangersOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/groups", "/api/v1/groups", "/nowhere", "/static/x/console.css"} {
		h := w.get(path).Header()
		csp := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
			if !strings.Contains(csp, want) {
				t.Errorf("%s: policy %q lacks %q", path, csp, want)
			}
		}
		if strings.Contains(csp, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") == "" {
			t.Errorf("%s: headers %v", path, h)
		}
	}
}

// Each page says what it can't read, and nothing of the inside.
func TestEveryPageSaysWhenAStoreIsDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deps.Lister, w.deps.Letters, w.deps.State = brokenLister{}, brokenLetters{w.letters}, brokenState{w.state}
	w.handler = must(console.New(w.deps))(t)
	for path, status := range map[string]int{"/campaigns": 503, "/claims": 503, "/letters": 503, "/groups": 200, "/health": 200, "/api/v1/claims": 503, "/api/v1/groups/history": 503} {
		rec := w.get(path)
		if rec.Code != status || strings.Contains(rec.Body.String(), "10.0.0.1") {
			t.Errorf("%s: %d, want %d without the cause", path, rec.Code, status)
		}
	}
	if body := w.get("/health").Body.String(); strings.Count(body, `status fail`) < 6 {
		t.Error("Health does not say that the stores are down")
	}
}

func TestEmptyPagesSaySo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, says := range map[string]string{
		"/campaigns": "No campaign has been assigned yet.", "/campaigns?q=x": "Nothing matches.", "/claims": "Nothing waits for you.",
		"/claims?state=RETRY": "No claim is RETRY.", "/letters": "No letter is stored.", "/audit": "Nobody has changed anything yet.", "/groups": "no series",
	} {
		if rec := w.get(path); rec.Code != 200 || !strings.Contains(rec.Body.String(), says) {
			t.Errorf("%s: %d does not say %q", path, rec.Code, says)
		}
	}
	for path, status := range map[string]int{"/claims/x": 404, "/claims/" + strings.Repeat("a", 64): 404, "/letters/x": 404, "/claims?state=LOST": 400, "/campaigns?page=x": 400, "/audit?page=x": 400, "/claims?page=x": 400, "/letters?page=x": 400} {
		if rec := w.get(path); rec.Code != status || !strings.Contains(rec.Body.String(), "<main") {
			t.Errorf("%s: %d, want a page with %d", path, rec.Code, status)
		}
	}
}

var nextPage = regexp.MustCompile(`href="([^"]+)">Next page`)

// Paging shows every entry once, whatever the number.
func TestListsArePagedToTheirEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 60 {
		w.dead(fmt.Sprintf("dead-%02d", i))
		a := route.Assignment{Campaign: fmt.Sprintf("camp-%02d", i), Group: "dg01", Topic: "t", At: time.Now(), Token: fmt.Sprint(i)}
		if _, err := w.state.Commit(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 25 { // exactly one page of the first of two states
		w.parked(fmt.Sprintf("parked-%02d", i))
	}
	for path, want := range map[string]struct {
		of *regexp.Regexp
		n  int
	}{
		"/claims":    {regexp.MustCompile(`href="claims/([0-9a-f]{64})"`), 85},
		"/letters":   {regexp.MustCompile(`href="letters/([0-9a-f]{64}-1)"`), 85},
		"/campaigns": {regexp.MustCompile(`<bdi>(camp-\d\d)</bdi>`), 60},
	} {
		seen := map[string]int{}
		at := path
		for range 10 {
			body := w.get(at).Body.String()
			for _, m := range want.of.FindAllStringSubmatch(body, -1) {
				seen[m[1]]++
			}
			m := nextPage.FindStringSubmatch(body)
			if m == nil {
				break
			}
			at = "/" + strings.ReplaceAll(m[1], "&amp;", "&")
		}
		if len(seen) != want.n {
			t.Errorf("%s: %d entries over all pages, want %d", path, len(seen), want.n)
		}
		for id, n := range seen {
			if n != 1 {
				t.Errorf("%s: %s is there %d times", path, id, n)
			}
		}
	}
}

func TestSearchFindsByCampaignAndCustomer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, customer := range []string{"Acme", "globex", "acme-retail"} {
		a := route.Assignment{Campaign: fmt.Sprintf("Spring-%d", i), Customer: customer, Group: "dg01", Topic: "t", At: time.Now(), Token: fmt.Sprint(i)}
		if _, err := w.state.Commit(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]int{"acme": 2, "SPRING-1": 1, "spring": 3, "nothing": 0} {
		if n := strings.Count(w.get("/campaigns?q="+query).Body.String(), "data-label=\"Campaign\""); n != want {
			t.Errorf("%q finds %d, want %d", query, n, want)
		}
	}
}

func TestServedUnderAPrefixLinksStillLead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := http.NewServeMux()
	h.Handle("/Console", http.StripPrefix("/Console", w.handler))
	h.Handle("/Console/", http.StripPrefix("/Console", w.handler))
	for path, to := range map[string]string{"/Console": "Console/", "/Console/": "./groups"} {
		if rec := serve(h, w.request(http.MethodGet, path, "")); rec.Header().Get("Location") != to {
			t.Errorf("%s leads to %q, want %q", path, rec.Header().Get("Location"), to)
		}
	}
	id := w.parked("order-1")
	if body := serve(h, w.request(http.MethodGet, "/Console/claims/"+id, "")).Body.String(); !strings.Contains(body, `href="../groups"`) || strings.Contains(body, `href="/`) {
		t.Error("links of a page are not relative to the console")
	}
}
