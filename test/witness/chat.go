package witness

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// ChatAPI is Google Chat's messages.create, patch and get over HTTP. As the real
// one, it answers a repeated requestId with the message that the first one made.
type ChatAPI struct {
	ledger *Ledger
	mux    *http.ServeMux

	mu       sync.Mutex
	messages map[string]map[string]any // by resource name
	requests map[string]string         // space and requestId -> resource name
	posts    int
	edits    int
}

// NewChatAPI returns an API that records in ledger. Clients use its address as
// their endpoint; paths begin with /v1/spaces.
func NewChatAPI(ledger *Ledger) *ChatAPI {
	if ledger == nil {
		panic("witness: a Chat API needs a ledger")
	}
	c := &ChatAPI{ledger: ledger, mux: http.NewServeMux(), messages: map[string]map[string]any{}, requests: map[string]string{}}
	c.mux.HandleFunc("POST /v1/spaces/{space}/messages", c.create)
	c.mux.HandleFunc("PATCH /v1/spaces/{space}/messages/{message}", c.edit)
	c.mux.HandleFunc("PUT /v1/spaces/{space}/messages/{message}", c.edit)
	c.mux.HandleFunc("GET /v1/spaces/{space}/messages/{message}", c.get)
	return c
}

// ServeHTTP serves the API.
func (c *ChatAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.mux.ServeHTTP(w, r) }

// Counts answers with how many messages were created and how many edits made.
func (c *ChatAPI) Counts() (posts, edits int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.posts, c.edits
}

func (c *ChatAPI) create(w http.ResponseWriter, r *http.Request) {
	message, raw, ok := readMessage(w, r)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	space, request := "spaces/"+r.PathValue("space"), r.URL.Query().Get("requestId")
	if name, repeated := c.requests[space+" "+request]; repeated && request != "" {
		reply(w, c.messages[name])
		return
	}
	c.posts++
	name := fmt.Sprintf("%s/messages/m%d", space, c.posts)
	message["name"], message["space"] = name, map[string]any{"name": space}
	c.messages[name] = message
	c.requests[space+" "+request] = name
	thread, _ := message["thread"].(map[string]any)
	threadName, _ := thread["name"].(string)
	c.ledger.Saw(Act{Event: Identify(threadName, raw), Channel: Chat, Operation: request})
	reply(w, message)
}

func (c *ChatAPI) edit(w http.ResponseWriter, r *http.Request) {
	change, _, ok := readMessage(w, r)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	name := "spaces/" + r.PathValue("space") + "/messages/" + r.PathValue("message")
	message := c.messages[name]
	if message == nil {
		refuse(w, http.StatusNotFound, "NOT_FOUND", "no message "+name)
		return
	}
	for field, value := range change {
		if field != "name" {
			message[field] = value
		}
	}
	c.edits++
	reply(w, message)
}

func (c *ChatAPI) get(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := "spaces/" + r.PathValue("space") + "/messages/" + r.PathValue("message")
	if message := c.messages[name]; message != nil {
		reply(w, message)
		return
	}
	refuse(w, http.StatusNotFound, "NOT_FOUND", "no message "+name)
}

func readMessage(w http.ResponseWriter, r *http.Request) (message map[string]any, raw string, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = json.Unmarshal(body, &message)
	}
	if err != nil || message == nil {
		refuse(w, http.StatusBadRequest, "INVALID_ARGUMENT", "the body is no message")
		return nil, "", false
	}
	return message, string(body), true
}

func reply(w http.ResponseWriter, message map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(message) // the caller is gone then
}

func refuse(w http.ResponseWriter, code int, status, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": code, "status": status, "message": text}})
}
