package assign_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"onceway.internal/functions/assign"
	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

// exchange is one request that the service is asked, and what is to come of it.
type exchange struct {
	name   string
	setup  func(*testing.T, *service)
	method string
	path   string
	body   string
	media  string
	late   bool // the caller has gone
	status int
	has    string // in the answer
	bad    bool   // the request breaks the description on purpose
}

func exchanges() []exchange {
	const post, get = http.MethodPost, http.MethodGet
	sampled := func(t *testing.T, s *service) { s.sampled(t) }
	down := func(_ *testing.T, s *service) { s.down.Store(true) }
	closed := func(t *testing.T, s *service) { s.change(t, drainAll) }
	ok := `{"campaign":"c1","customer":"acme","size":10}`
	return []exchange{
		{name: "assignment", setup: sampled, method: post, path: "/v1/assignments", body: ok, status: 200, has: `"rule":"ledger-corrected-score"`},
		{name: "size not known", setup: sampled, method: post, path: "/v1/assignments", body: `{"campaign":"c1"}`, status: 200, has: `"size":1000`},
		{name: "nothing sampled", method: post, path: "/v1/assignments", body: ok, status: 200, has: `"rule":"capacity-round-robin"`},
		{name: "state down", setup: down, method: post, path: "/v1/assignments", body: ok, status: 200, has: `"recorded":false`},
		{name: "no campaign", method: post, path: "/v1/assignments", body: `{"size":1}`, status: 400, has: "campaign: must have", bad: true},
		{name: "no JSON", method: post, path: "/v1/assignments", body: `{`, status: 400, has: "invalid-request", bad: true},
		{name: "unknown field", method: post, path: "/v1/assignments", body: `{"campaign":"c1","color":1}`, status: 400, has: "color", bad: true},
		// The validator reads the first object alone.
		{name: "two objects", method: post, path: "/v1/assignments", body: ok + ok, status: 400, has: "more after"},
		{name: "negative size", method: post, path: "/v1/assignments", body: `{"campaign":"c1","size":-1}`, status: 400, has: "size: must be", bad: true},
		{name: "too large", method: post, path: "/v1/assignments", body: `{"campaign":"` + strings.Repeat("x", 65<<10) + `"}`, status: 413, has: "too-large", bad: true},
		{name: "not JSON by its type", method: post, path: "/v1/assignments", body: ok, media: "text/plain", status: 415, has: "unsupported-media-type", bad: true},
		{name: "GET of a POST", method: get, path: "/v1/assignments", status: 405, has: "method-not-allowed", bad: true},
		{name: "every group closed", setup: closed, method: post, path: "/v1/assignments", body: ok, status: 409, has: "no-group"},
		{name: "caller gone", method: post, path: "/v1/assignments", body: ok, late: true, status: 503, has: "unavailable"},
		{name: "recommendation", setup: recommended(time.Minute), method: get, path: "/v1/recommendations/inbox", status: 200, has: `"drawn":"projects/demo-project/topics/only"`},
		{name: "expired recommendation", setup: recommended(-time.Minute), method: get, path: "/v1/recommendations/inbox", status: 200, has: `"rule":"capacity-round-robin"`},
		{name: "no recommendation", method: get, path: "/v1/recommendations/inbox", status: 200, has: `"rule":"capacity-round-robin"`},
		{name: "no recommendation, state down", setup: down, method: get, path: "/v1/recommendations/inbox", status: 200, has: `"drawn":"projects/demo-project/topics/dg02-inbox"`},
		{name: "unknown queue", method: get, path: "/v1/recommendations/outbox", status: 404, has: "not-found"},
		{name: "POST of a GET", method: post, path: "/v1/recommendations/inbox", status: 405, has: "method-not-allowed", bad: true},
		{name: "nothing to recommend", setup: closedButDefault, method: get, path: "/v1/recommendations/other", status: 409, has: "no-group"},
		{name: "no recommendation, caller gone", setup: sampled, method: get, path: "/v1/recommendations/inbox", late: true, status: 503, has: "unavailable"},
		{name: "groups", setup: reserved, method: get, path: "/v1/groups", status: 200, has: `"customers":["acme"]`},
		{name: "groups, state never read", setup: down, method: get, path: "/v1/groups", status: 200, has: `"stateDown":true`},
		{name: "DELETE of groups", method: http.MethodDelete, path: "/v1/groups", status: 405, has: "method-not-allowed", bad: true},
		{name: "groups, caller gone", method: get, path: "/v1/groups", late: true, status: 503, has: "unavailable"},
		{name: "description", method: get, path: "/openapi.yaml", status: 200, has: "openapi: 3.1.0"},
		{name: "PUT of the description", method: http.MethodPut, path: "/openapi.yaml", status: 405, has: "method-not-allowed", bad: true},
	}
}

func recommended(valid time.Duration) func(*testing.T, *service) {
	return func(t *testing.T, s *service) {
		r := route.Recommendation{
			Queue: "inbox", At: time.Now(), ValidUntil: time.Now().Add(valid), Rule: route.ByCorrected,
			Topics: []route.WeightedTopic{{Topic: "projects/demo-project/topics/only", Group: "dg01", Weight: 1}},
		}
		if err := s.store.PutRecommendations(t.Context(), []route.Recommendation{r}); err != nil {
			t.Fatal(err)
		}
	}
}

func reserved(t *testing.T, s *service) {
	s.sampled(t)
	s.change(t, func(l *groups.Live) {
		l.Reservations["dg01"] = groups.Reservation{Group: "dg01", Customers: []string{"acme"}, Until: time.Now().Add(time.Hour)}
		l.Draining["dg02"] = groups.Drain{}
	})
}

func closedButDefault(t *testing.T, s *service) { s.change(t, drainAll) }

// groupsWithOther gives dg03 a queue that the default group lacks.
func groupsWithOther() groups.Config {
	c := three()
	q := c.Groups[2].Queues[0]
	q.Name, q.Topic, q.Subscription = "other", "dg03-other", "dg03-other"
	c.Groups[2].Queues = append(c.Groups[2].Queues, q)
	return c
}

func TestHandlersKeepToTheDescription(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(assign.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	paths, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	answered := map[string]bool{}
	for _, x := range exchanges() {
		t.Run(x.name, func(t *testing.T) {
			s := newService(t, groupsWithOther())
			if x.setup != nil {
				x.setup(t, s)
			}
			req := request(t, x)
			input := described(t, paths, x)
			err := openapi3filter.ValidateRequest(t.Context(), input)
			if x.bad != (err != nil) && x.status != http.StatusMethodNotAllowed {
				t.Errorf("does the request break the description: %v, want %v", err, x.bad)
			}
			rec := httptest.NewRecorder()
			s.handler.ServeHTTP(rec, req)
			if rec.Code != x.status || !strings.Contains(rec.Body.String(), x.has) {
				t.Errorf("answer %d %s, want %d with %q", rec.Code, rec.Body, x.status, x.has)
			}
			answered[input.Route.Path+" "+input.Route.Method+" "+http.StatusText(rec.Code)] = true
			out := &openapi3filter.ResponseValidationInput{
				RequestValidationInput: input, Status: rec.Code, Header: rec.Header(),
				Body:    io.NopCloser(bytes.NewReader(rec.Body.Bytes())),
				Options: &openapi3filter.Options{IncludeResponseStatus: true},
			}
			if input.Route.Path == "/openapi.yaml" && rec.Code == http.StatusOK {
				return // text, which the validator does not read
			}
			if err := openapi3filter.ValidateResponse(t.Context(), out); err != nil {
				t.Errorf("the answer breaks the description: %v\n%s", err, rec.Body)
			}
		})
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			for status := range op.Responses.Map() {
				code := map[string]int{"200": 200, "400": 400, "404": 404, "405": 405, "409": 409, "413": 413, "415": 415, "503": 503}[status]
				if !answered[path+" "+method+" "+http.StatusText(code)] {
					t.Errorf("%s %s is described to answer %s, and no exchange does", method, path, status)
				}
			}
		}
	}
}

func request(t *testing.T, x exchange) *http.Request {
	t.Helper()
	ctx := t.Context()
	if x.late {
		gone, cancel := context.WithCancel(ctx)
		cancel()
		ctx = gone
	}
	req := httptest.NewRequestWithContext(ctx, x.method, x.path, strings.NewReader(x.body))
	media := x.media
	if media == "" {
		media = "application/json"
	}
	if x.body != "" {
		req.Header.Set("Content-Type", media)
	}
	return req
}

// described finds what the description says of the request. For a method that it
// does not know, it is the path's own operation, whose 405 is what counts.
func described(t *testing.T, paths routers.Router, x exchange) *openapi3filter.RequestValidationInput {
	t.Helper()
	x.late = false
	req := request(t, x)
	r, params, err := paths.FindRoute(req)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if err == nil {
			break
		}
		req.Method = method
		r, params, err = paths.FindRoute(req)
	}
	if err != nil {
		t.Fatalf("the description has no %s: %v", x.path, err)
	}
	return &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: r}
}

func TestUnknownPathsAreProblems(t *testing.T) {
	t.Parallel()
	s := newService(t, three())
	for _, path := range []string{"/", "/v1", "/v1/assignments/", "/v1/recommendations/", "/v1//groups", "/v1/recommendations/a/b"} {
		rec := httptest.NewRecorder()
		s.handler.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, nil))
		if rec.Code != http.StatusNotFound || rec.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("POST %s: %d %s", path, rec.Code, rec.Header().Get("Content-Type"))
		}
	}
}
