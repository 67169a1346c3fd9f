package serve

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	_ "unsafe" // for go:linkname

	_ "github.com/GoogleCloudPlatform/functions-framework-go/funcframework" // what initServer is linked to
	"github.com/GoogleCloudPlatform/functions-framework-go/functions"
)

// initServer is the framework's own, which it does not export: everything that its
// Start does before ListenAndServe. Should a release rename it, our build fails
// to link; nothing goes wrong silently.
//
//go:linkname initServer github.com/GoogleCloudPlatform/functions-framework-go/funcframework.initServer
func initServer() (*http.ServeMux, error)

// below serves h under a prefix. A reader of the prefix itself is sent on to what is
// below it, where relative links lead to the right place.
func below(prefix string, h http.Handler) http.HandlerFunc {
	stripped := http.StripPrefix(prefix, h)
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != prefix:
			stripped.ServeHTTP(w, r)
		case r.Method == http.MethodGet || r.Method == http.MethodHead:
			w.Header().Set("Location", path.Base(prefix)+"/")
			w.WriteHeader(http.StatusFound)
		default:
			r = r.Clone(r.Context())
			r.URL.Path, r.URL.RawPath = "/", ""
			h.ServeHTTP(w, r)
		}
	}
}

// Framework answers with the framework's handler for the functions registered so
// far: the one that FUNCTION_TARGET names at "/", or without it every function at
// "/Name". It reads the environment, and logs to stdout as the framework does.
func Framework() (http.Handler, error) { return framework() }

// Below registers functions and answers with the framework's handler that serves each
// at "/Name" and, which the framework by itself does not, at all paths below, as if that
// were the function's root. FUNCTION_TARGET has to be unset.
func Below(byName map[string]http.Handler) (http.Handler, error) {
	for name, h := range byName {
		functions.HTTP(name, below("/"+name, h))
	}
	mux, err := framework()
	if err != nil {
		return nil, err
	}
	for name := range byName {
		wrapped, _ := mux.Handler(&http.Request{Method: http.MethodPost, URL: &url.URL{Path: "/" + name}})
		mux.Handle("/"+name+"/", wrapped)
	}
	return mux, nil
}

func framework() (*http.ServeMux, error) {
	mux, err := initServer()
	if err != nil {
		return nil, fmt.Errorf("make the framework's handler: %w", err)
	}
	return mux, nil
}

// ErrUnknownTarget says that FUNCTION_TARGET names no function.
var ErrUnknownTarget = errors.New("FUNCTION_TARGET names no function")

// Target checks FUNCTION_TARGET against the functions there are. An empty target
// means all of them.
func Target(target string, known []string) error {
	if target == "" || slices.Contains(known, target) {
		return nil
	}
	return fmt.Errorf("%w: got %q, known are %s", ErrUnknownTarget, target, strings.Join(slices.Sorted(slices.Values(known)), ", "))
}
