package serve_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/GoogleCloudPlatform/functions-framework-go/functions"
	"onceway.internal/shared/serve"
)

func init() {
	for _, name := range []string{"First", "Second"} {
		functions.HTTP(name, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Function", name) })
	}
	var err error
	if below, err = serve.Below(map[string]http.Handler{"Third": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Function", "Third")
		w.Header().Set("Saw", r.Method+" "+r.URL.Path)
	})}); err != nil {
		panic(err)
	}
}

// below serves the functions below their names. It is made once: names are the process's.
var below http.Handler

func TestFrameworkServesTheTarget(t *testing.T) {
	for _, tc := range []struct{ target, path, want string }{
		{"First", "/", "First"}, {"Second", "/any/path", "Second"}, {"", "/First", "First"}, {"", "/Second", "Second"}, {"", "/", ""},
	} {
		t.Setenv("FUNCTION_TARGET", tc.target)
		h, err := serve.Framework()
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, tc.path, nil))
		if got := w.Header().Get("Function"); got != tc.want {
			t.Errorf("target %q, path %s: served by %q, want %q", tc.target, tc.path, got, tc.want)
		}
	}
	t.Setenv("FUNCTION_TARGET", "Nothing")
	if _, err := serve.Framework(); err == nil {
		t.Error("the framework took an unknown target")
	}
}

func TestWithoutATargetFunctionsAreServedBelowTheirNames(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ method, path, saw, location string }{
		{http.MethodGet, "/Third", "", "Third/"},
		{http.MethodPost, "/Third", "POST /", ""},
		{http.MethodGet, "/Third/", "GET /", ""},
		{http.MethodPost, "/Third/v1/assignments", "POST /v1/assignments", ""},
		{http.MethodGet, "/Thirdly", "", ""},
	} {
		w := httptest.NewRecorder()
		below.ServeHTTP(w, httptest.NewRequest(tc.method, tc.path, nil))
		if saw, location := w.Header().Get("Saw"), w.Header().Get("Location"); saw != tc.saw || location != tc.location {
			t.Errorf("%s %s: the function saw %q, want %q; location %q, want %q", tc.method, tc.path, saw, tc.saw, location, tc.location)
		}
	}
}

func TestUnknownTargetListsTheKnown(t *testing.T) {
	t.Parallel()
	known := []string{"Relay", "Assign", "Chat"}
	for _, target := range []string{"", "Relay"} {
		if err := serve.Target(target, known); err != nil {
			t.Errorf("%q: %v", target, err)
		}
	}
	err := serve.Target("relay", known)
	if !errors.Is(err, serve.ErrUnknownTarget) || !strings.Contains(err.Error(), "Assign, Chat, Relay") {
		t.Errorf("answered %v", err)
	}
}
