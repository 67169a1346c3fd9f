package chat_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	chatapi "google.golang.org/api/chat/v1"
)

// chatAPI stands in for the Chat API over HTTP: it honours requestId, keeps what was
// posted and edited, and fails as often as it is told to.
type chatAPI struct {
	*httptest.Server

	mu       sync.Mutex
	requests map[string]string // requestId -> name
	messages map[string]*chatapi.Message
	order    []string
	edits    int
	calls    int
	failing  []int // statuses of the next answers; 0 lets one through
}

func newChatAPI(t *testing.T) *chatAPI {
	t.Helper()
	a := &chatAPI{requests: map[string]string{}, messages: map[string]*chatapi.Message{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/spaces/{space}/messages", a.create)
	mux.HandleFunc("PATCH /v1/spaces/{space}/messages/{message}", a.edit)
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

// fail makes the next calls answer with these statuses.
func (a *chatAPI) fail(statuses ...int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failing = statuses
}

func (a *chatAPI) failed(w http.ResponseWriter) bool {
	a.calls++
	if len(a.failing) == 0 {
		return false
	}
	status := a.failing[0]
	a.failing = a.failing[1:]
	if status == 0 {
		return false
	}
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"code":%d,"status":"TROUBLE","message":"no"}}`, status)
	return true
}

func (a *chatAPI) create(w http.ResponseWriter, r *http.Request) {
	var m chatapi.Message
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		http.Error(w, "{}", http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed(w) {
		return
	}
	id := r.URL.Query().Get("requestId")
	if name, ok := a.requests[id]; ok {
		_ = json.NewEncoder(w).Encode(a.messages[name])
		return
	}
	m.Name = fmt.Sprintf("spaces/%s/messages/r%d.r%d", r.PathValue("space"), len(a.order)+1, len(a.order)+1)
	a.requests[id], a.messages[m.Name] = m.Name, &m
	a.order = append(a.order, m.Name)
	_ = json.NewEncoder(w).Encode(m)
}

func (a *chatAPI) edit(w http.ResponseWriter, r *http.Request) {
	var m chatapi.Message
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		http.Error(w, "{}", http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed(w) {
		return
	}
	name := "spaces/" + r.PathValue("space") + "/messages/" + r.PathValue("message")
	a.edits++
	old := a.messages[name]
	if old == nil { // a card that a payload tells of
		old = &chatapi.Message{Name: name}
		a.messages[name] = old
	}
	old.Text, old.CardsV2 = m.Text, m.CardsV2
	_ = json.NewEncoder(w).Encode(old)
}

// posted is every message that was really made, as it reads now.
func (a *chatAPI) posted() []chatapi.Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []chatapi.Message
	for _, name := range a.order {
		all = append(all, *a.messages[name])
	}
	return all
}

// hook is a tool's other end: it counts calls by Idempotency-Key and answers by plan.
type hook struct {
	*httptest.Server

	mu      sync.Mutex
	keys    []string
	bodies  []string
	answers []int // statuses of the next answers; then 200
	onCall  func()
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body json.RawMessage
		_ = json.NewDecoder(r.Body).Decode(&body)
		h.mu.Lock()
		h.keys, h.bodies = append(h.keys, r.Header.Get("Idempotency-Key")), append(h.bodies, string(body))
		status, onCall := http.StatusOK, h.onCall
		if len(h.answers) > 0 {
			status, h.answers = h.answers[0], h.answers[1:]
		}
		h.mu.Unlock()
		if onCall != nil {
			onCall()
		}
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(status)
		fmt.Fprint(w, "the hook says hello <users/all>")
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) called() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.keys)
}
