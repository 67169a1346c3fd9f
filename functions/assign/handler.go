package assign

import (
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

// Router is a *route.Router.
type Router interface {
	Assign(ctx context.Context, c route.Campaign) (route.Assignment, error)
	View(ctx context.Context) (route.View, error)
	Groups() groups.Config
	RecommendBlind(live *groups.Live, queue string, now time.Time) route.Recommendation
}

// Advice is where Score leaves recommendations: a route.Board.
type Advice interface {
	Recommendation(ctx context.Context, queue string) (r route.Recommendation, now time.Time, err error)
}

// Deps are what the service works with.
type Deps struct {
	Router Router
	Advice Advice
	Rand   func() float64 // from [0, 1); safe for concurrent use
	Log    *slog.Logger
}

//go:embed openapi.yaml
var openAPI []byte

// OpenAPI is the service's description.
func OpenAPI() []byte { return append([]byte(nil), openAPI...) }

// Handler serves the API.
type Handler struct {
	Deps
	mux *http.ServeMux
}

// New returns a Handler.
func New(d Deps) (*Handler, error) {
	if d.Router == nil || d.Advice == nil || d.Rand == nil || d.Log == nil {
		return nil, errors.New("assign: needs a router, recommendations, randomness and a log")
	}
	h := &Handler{Deps: d, mux: http.NewServeMux()}
	h.mux.Handle("/v1/assignments", only(http.MethodPost, h.assign))
	h.mux.Handle("/v1/recommendations/{queue}", only(http.MethodGet, h.recommend))
	h.mux.Handle("/v1/groups", only(http.MethodGet, h.groups))
	h.mux.Handle("/openapi.yaml", only(http.MethodGet, describe))
	h.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusNotFound, codeNotFound, "there is nothing here: see /openapi.yaml")
	})
	return h, nil
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.URL.Path, "//") { // else the mux would redirect, which turns a POST into a GET
		fail(w, http.StatusNotFound, codeNotFound, "there is nothing here: see /openapi.yaml")
		return
	}
	h.mux.ServeHTTP(w, r)
}

func only(method string, h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := method == http.MethodGet && r.Method == http.MethodHead
		if r.Method != method && !head {
			w.Header().Set("Allow", method)
			fail(w, http.StatusMethodNotAllowed, codeMethod, "only "+method)
			return
		}
		h(w, r)
	})
}

func describe(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(openAPI) // the caller has gone
}
