package main

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"regexp"
)

// times has the length of what it replaces, so that Content-Length stays true.
var times = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d`)

// capture acknowledges every request and hands its bytes on.
func capture(seen chan<- []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = "onceway.invalid"
		raw, err := httputil.DumpRequest(r, true)
		if err != nil {
			http.Error(w, fmt.Sprint(err), http.StatusInternalServerError)
			return
		}
		seen <- times.ReplaceAll(raw, []byte("2026-01-02T03:04:05"))
		w.WriteHeader(http.StatusNoContent)
	})
}
