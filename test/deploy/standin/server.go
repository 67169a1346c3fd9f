package standin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Doc is a JSON object.
type Doc = map[string]any

// Change is a recorded request.
type Change struct {
	Method, Path string
	Body         any `json:",omitempty"`
}

// Server is the stand-in. It is safe for concurrent use.
type Server struct {
	HTTP    *httptest.Server
	Project string
	Number  string
	// Probe answers requests to deployed revisions, by service; nil answers 404.
	Probe func(service string, w http.ResponseWriter, r *http.Request)

	pubsub string // base URL of an emulator; "" keeps Pub/Sub here

	mu      sync.Mutex
	kept    map[string]string // retention of subscriptions beyond the emulator's bound
	docs    map[string]Doc    // by resource path, without the version
	changes []Change
	serial  int
}

// New starts a stand-in for an empty project; pubsub is the address of an emulator, or "".
func New(project, number, pubsub string) *Server {
	s := &Server{Project: project, Number: number, docs: map[string]Doc{}, kept: map[string]string{}}
	if pubsub != "" {
		s.pubsub = "http://" + pubsub
	}
	s.HTTP = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Close stops it.
func (s *Server) Close() { s.HTTP.Close() }

// Changes are the requests that changed something, by path, since commands run beside
// each other; those on one policy, each made of the one before, as they came. Forget forgets them.
func (s *Server) Changes() []Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(s.changes)
	slices.SortStableFunc(out, func(a, b Change) int {
		if a.Path == b.Path && (strings.HasSuffix(a.Path, "IamPolicy") || strings.HasSuffix(a.Path, "/iam")) {
			return 0
		}
		return strings.Compare(line(a), line(b))
	})
	return out
}

// Forget forgets the changes recorded so far, not what they made.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes = nil
}

func line(c Change) string {
	b, _ := json.Marshal(c) // it was JSON
	return c.Path + string(b)
}

// Edit changes what is remembered of a resource, as somebody else would; the path is
// without a version, as projects/P/topics/T.
func (s *Server) Edit(path string, edit func(Doc)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.docs[path]
	if d == nil {
		d = Doc{}
	}
	edit(d)
	s.docs[path] = d
}

// Remove forgets a resource.
func (s *Server) Remove(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.docs, path)
}

// Paths lists what is remembered beneath a path.
func (s *Server) Paths(under string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, p := range slices.Sorted(maps.Keys(s.docs)) {
		if strings.HasPrefix(p, under) {
			out = append(out, p)
		}
	}
	return out
}

// request is a call, read.
type request struct {
	method string
	path   string // without the version
	query  url.Values
	body   Doc
	raw    []byte
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if service, ok := revisionHost(r.Host); ok {
		s.probe(service, w, r)
		return
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	req := request{method: r.Method, path: unversioned(r.URL.Path), query: r.URL.Query(), raw: raw}
	if len(raw) > 0 && json.Unmarshal(raw, &req.body) != nil {
		req.body = nil // an upload
	}
	forwarded := s.forwarded(req)
	s.record(req)
	if forwarded {
		s.forward(w, r, req.path, raw)
		return
	}
	status, answer := s.answer(req)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(answer) //nolint:errcheck // the caller is gone
}

// unversioned cuts what comes before the resource.
func unversioned(path string) string {
	for _, api := range []string{"/apis/serving.knative.dev/v1/", "/storage/v1/"} {
		if rest, ok := strings.CutPrefix(path, api); ok {
			return rest
		}
	}
	parts := strings.SplitN(strings.TrimPrefix(path, "/"), "/", 2)
	if len(parts) == 2 && strings.HasPrefix(parts[0], "v") {
		return parts[1]
	}
	return strings.TrimPrefix(path, "/")
}

func (s *Server) record(r request) {
	reads := r.method == http.MethodGet || strings.HasSuffix(r.path, ":getIamPolicy") || strings.HasSuffix(r.path, ":testIamPermissions")
	if reads {
		return
	}
	path := r.path
	if len(r.query) > 0 {
		q := maps.Clone(r.query)
		q.Del("alt")
		q.Del("uploadType")
		if e := q.Encode(); e != "" {
			path += "?" + e
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := Change{Method: r.method, Path: path}
	if r.body != nil {
		c.Body = r.body
	} else if len(r.raw) > 0 {
		c.Body = "(upload)"
	}
	s.changes = append(s.changes, c)
}

// forwarded reports whether the emulator answers.
func (s *Server) forwarded(r request) bool {
	return s.pubsub != "" && isPubSub(r.path) && !strings.HasSuffix(r.path, "IamPolicy")
}

func isPubSub(path string) bool {
	parts := strings.Split(path, "/")
	return len(parts) >= 3 && parts[0] == "projects" && (strings.HasPrefix(parts[2], "topics") || strings.HasPrefix(parts[2], "subscriptions"))
}

func (s *Server) forward(w http.ResponseWriter, r *http.Request, path string, body []byte) {
	req, err := http.NewRequestWithContext(r.Context(), r.Method, s.pubsub+r.URL.RequestURI(), bytes.NewReader(s.bounded(path, body)))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(res.StatusCode)
	_, _ = w.Write(s.unbounded(answer)) // the caller is gone
}

// revisionHost reads CANDIDATE---SERVICE-….run.app.
func revisionHost(host string) (string, bool) {
	_, rest, ok := strings.Cut(host, "---")
	if !ok {
		return "", false
	}
	service, _, ok := strings.Cut(rest, ".")
	return service, ok
}

func (s *Server) probe(service string, w http.ResponseWriter, r *http.Request) {
	if s.Probe == nil {
		http.NotFound(w, r)
		return
	}
	s.Probe(service, w, r)
}

func notFound(path string) (int, any) {
	return http.StatusNotFound, Doc{"error": Doc{"code": 404, "status": "NOT_FOUND", "message": path + " is not there"}}
}

func conflict(path string) (int, any) {
	return http.StatusConflict, Doc{"error": Doc{"code": 409, "status": "ALREADY_EXISTS", "message": path + " is there"}}
}

func unknown(r request) (int, any) {
	return http.StatusNotImplemented, Doc{"error": Doc{"code": 501, "status": "UNIMPLEMENTED",
		"message": fmt.Sprintf("the stand-in does not know %s %s", r.method, r.path)}}
}

// Snapshot is a copy of everything remembered; Restore goes back to it.
func (s *Server) Snapshot() map[string]Doc {
	s.mu.Lock()
	defer s.mu.Unlock()
	return copied(s.docs)
}

// Restore remembers a snapshot, and nothing else.
func (s *Server) Restore(docs map[string]Doc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.docs = copied(docs)
}

func copied(docs map[string]Doc) map[string]Doc {
	out := make(map[string]Doc, len(docs))
	for path, d := range docs {
		out[path] = clone(d)
	}
	return out
}
