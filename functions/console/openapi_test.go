package console_test

import (
	"bytes"
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

	"onceway.internal/functions/console"
	"onceway.internal/shared/route"
)

type exchange struct {
	method, path, body string
	status             int
	bad                bool // breaks the description
}

// exchanges are all operations, over a world with something in every list.
func (w *world) exchanges() []exchange {
	id, parked, dead := w.parked("order-1"), w.parked("order-2"), w.dead("order-3")
	get, post := http.MethodGet, http.MethodPost
	return []exchange{
		{method: get, path: "/me", status: 200},
		{method: get, path: "/groups", status: 200},
		{method: get, path: "/groups/history", status: 200},
		{method: get, path: "/groups/history?window=day", status: 200},
		{method: get, path: "/groups/history?window=week", status: 400, bad: true},
		{method: get, path: "/preview?campaign=c&customer=acme&size=10", status: 200},
		{method: get, path: "/preview", status: 400, bad: true},
		{method: get, path: "/preview?campaign=c&size=x", status: 400, bad: true},
		{method: get, path: "/campaigns?q=c&limit=5", status: 200},
		{method: get, path: "/campaigns?limit=0", status: 400, bad: true},
		{method: get, path: "/claims", status: 200},
		{method: get, path: "/claims?state=DEAD", status: 200},
		{method: get, path: "/claims?state=LOST", status: 400, bad: true},
		{method: get, path: "/claims/" + id, status: 200},
		{method: get, path: "/claims/x", status: 404},
		{method: get, path: "/letters", status: 200},
		{method: get, path: "/letters/" + dead, status: 200},
		{method: get, path: "/letters/" + dead + "?body=true", status: 200},
		{method: get, path: "/letters/x", status: 404},
		{method: post, path: "/groups/dg01/reserve", body: `{"customers":["acme"],"until":"2099-01-01T00:00:00Z"}`, status: 200},
		{method: post, path: "/groups/dg01/release", body: `{"why":"over"}`, status: 200},
		{method: post, path: "/groups/dg01/release", body: `{}`, status: 409},
		{method: post, path: "/groups/dg01/drain", body: `{"version":"old"}`, status: 409},
		{method: post, path: "/groups/dg01/drain", body: `{"size":1}`, status: 400, bad: true},
		{method: post, path: "/groups/dg01/drain", body: `{} {}`, status: 400},
		{method: post, path: "/groups/dg01/drain", body: `{"why":"` + strings.Repeat("x", 70<<10) + `"}`, status: 413, bad: true},
		{method: post, path: "/groups/dg09/drain", body: `{}`, status: 404},
		{method: post, path: "/claims/" + id + "/resolve", body: `{"as":"done"}`, status: 200},
		{method: post, path: "/claims/" + id + "/resolve", body: `{"as":"retry"}`, status: 409},
		{method: post, path: "/claims/" + parked + "/resolve", body: `{"as":"maybe"}`, status: 400, bad: true},
		{method: post, path: "/letters/" + dead + "/replay", body: `{"why":"fixed"}`, status: 200},
		{method: post, path: "/letters/" + dead + "/drop", body: `{}`, status: 409},
		{method: post, path: "/letters/" + dead + "/drop", body: `{"newKey":true}`, status: 400},
		{method: get, path: "/audit?limit=3", status: 200},
		{method: get, path: "/audit?page=x", status: 400},
		{method: get, path: "/claims?page=x", status: 400},
		{method: get, path: "/claims?page=DEAD~x", status: 400},
		{method: get, path: "/letters?page=x", status: 400},
		{method: get, path: "/health", status: 200},
	}
}

func TestTheAPIKeepsToItsDescription(t *testing.T) {
	t.Parallel()
	doc := must(openapi3.NewLoader().LoadFromData(console.OpenAPI()))(t)
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	paths := must(gorillamux.NewRouter(doc))(t)
	w := newWorld(t)
	w.figures()
	answered := map[string]bool{}
	for _, x := range w.exchanges() {
		req, r, params := w.described(paths, x)
		input := &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: r}
		if err := openapi3filter.ValidateRequest(t.Context(), input); (err != nil) != x.bad {
			t.Errorf("%s %s: does the request break the description: %v, want %v", x.method, x.path, err, x.bad)
		}
		rec := serve(w.handler, w.request(x.method, "/api/v1"+x.path, x.body))
		if rec.Code != x.status {
			t.Errorf("%s %s: %d, want %d: %s", x.method, x.path, rec.Code, x.status, rec.Body)
		}
		if rec.Code == 200 {
			answered[r.Operation.OperationID] = true
		}
		out := &openapi3filter.ResponseValidationInput{RequestValidationInput: input, Status: rec.Code, Header: rec.Header(), Body: io.NopCloser(bytes.NewReader(rec.Body.Bytes()))}
		if err := openapi3filter.ValidateResponse(t.Context(), out); err != nil {
			t.Errorf("%s %s: the answer breaks the description: %v\n%s", x.method, x.path, err, rec.Body)
		}
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if !answered[op.OperationID] {
				t.Errorf("%s %s is described, and no exchange of it succeeds", method, path)
			}
		}
	}
}

func (w *world) described(paths routers.Router, x exchange) (*http.Request, *routers.Route, map[string]string) {
	w.t.Helper()
	req := w.request(x.method, "/api/v1"+x.path, x.body)
	r, params, err := paths.FindRoute(req)
	if err != nil {
		w.t.Fatalf("the description has no %s %s: %v", x.method, x.path, err)
	}
	return req, r, params
}

// figures gives every queue a sample, and the groups a past.
func (w *world) figures() {
	w.t.Helper()
	f, back := route.Figures{}, map[string]map[string]float64{}
	for _, g := range w.deps.Groups.Groups {
		f[g.ID], back[g.ID] = map[string]route.Figure{}, map[string]float64{}
		for i, q := range g.Queues {
			f[g.ID][q.Name] = route.Figure{Backlog: float64(100 * i), At: time.Now().Add(-time.Minute), Checked: time.Now(), Rate: 90}
			back[g.ID][q.Name] = float64(100 * i)
		}
	}
	must(w.state.PutFigures(w.t.Context(), f))(w.t)
	for i := range 3 {
		p := route.Past{At: time.Now().Add(time.Duration(i-3) * time.Minute), Backlogs: back, Groups: []route.Candidate{{Group: "dg01", Score: float64(i), Data: route.Fresh}}}
		if err := w.state.PutHistory(w.t.Context(), p); err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestMethodsAndPathsThatAreNoneAreProblems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, status := range map[string]int{
		"DELETE /api/v1/groups": 405, "GET /api/v1/groups/dg01/drain": 405, "POST /api/v1/claims": 405, "GET /api/v1/": 404, "GET /api/v2/groups": 404,
		"POST /api/v1/groups/dg01/explode": 404, "POST /api/v1/letters/x/burn": 404,
	} {
		method, path, _ := strings.Cut(path, " ")
		rec := serve(w.handler, w.request(method, path, "{}"))
		if rec.Code != status || rec.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s: %d %s, want %d", method, path, rec.Code, rec.Header().Get("Content-Type"), status)
		}
	}
	r := w.request(http.MethodPost, "/api/v1/groups/dg01/drain", "{}")
	r.Header.Set("Content-Type", "text/plain")
	if rec := serve(w.handler, r); rec.Code != http.StatusUnsupportedMediaType {
		t.Errorf("text/plain: %d, want 415", rec.Code)
	}
	r = w.request(http.MethodPost, "/api/v1/groups/dg01/drain", "{}")
	r.Header.Del("Idempotency-Key")
	rec := httptest.NewRecorder()
	if w.handler.ServeHTTP(rec, r); rec.Code != http.StatusBadRequest {
		t.Errorf("without a key: %d, want 400", rec.Code)
	}
}
