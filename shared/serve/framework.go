package serve

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	_ "unsafe" // for go:linkname

	_ "github.com/GoogleCloudPlatform/functions-framework-go/funcframework" // what initServer is linked to
)

// initServer is the framework's own, which it does not export: everything that its
// Start does before ListenAndServe. Should a release rename it, our build fails
// to link; nothing goes wrong silently.
//
//go:linkname initServer github.com/GoogleCloudPlatform/functions-framework-go/funcframework.initServer
func initServer() (*http.ServeMux, error)

// Framework answers with the framework's handler for the functions registered so
// far: the one that FUNCTION_TARGET names at "/", or without it every function at
// "/Name". It reads the environment, and logs to stdout as the framework does.
func Framework() (http.Handler, error) {
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
