package console

import (
	"net/http"
	"path"
	"strings"
)

// maxForm bounds a request's body: names and a few words.
const maxForm = 64 << 10

// csp lets nothing in but our own files. Styles that uPlot sets on elements are no
// inline styles by it.
const csp = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guard is around everything: headers, bounds, writes from elsewhere.
func (h *Handler) guard(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.refuse(w, r, problemOf(http.StatusForbidden, codeCrossOrigin, "This change was asked for by another site. Open the console itself and try again."))
	}))
	inner := cross.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", csp)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("X-Frame-Options", "DENY")
		head.Set("Referrer-Policy", "same-origin")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		head.Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if r.URL.Path == "" { // served at /Name, which its prefix was stripped off
			at, _, _ := strings.Cut(r.RequestURI, "?")
			head.Set("Location", path.Base("/"+at)+"/")
			w.WriteHeader(http.StatusFound)
			return
		}
		inner.ServeHTTP(w, r)
	})
}

// root leads from a path back to the console's own.
func root(path string) string {
	return strings.Repeat("../", max(0, strings.Count(path, "/")-1))
}

// redirect answers a form: to is relative to the console.
func redirect(w http.ResponseWriter, r *http.Request, to string) {
	if r.URL.Path == "/" {
		to = "./" + to
	}
	w.Header().Set("Location", root(r.URL.Path)+to)
	w.WriteHeader(http.StatusSeeOther)
}
