//go:build controlplane

package controlplane

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"testing"
	"time"
)

// witness is the slow service that the workers post orders to. It counts what arrives,
// knowing nothing of how a request is made but its Idempotency-Key.
type witness struct {
	URL string

	mu     sync.Mutex
	orders map[string]int // acts by order
	keys   map[string]int // acts by Idempotency-Key
	acts   int
}

var order = regexp.MustCompile(`order-\d{6}`)

func newWitness(t *testing.T, takes time.Duration) *witness {
	w := &witness{orders: make(map[string]int), keys: make(map[string]int)}
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the caller left before all was said: nothing was asked for
		}
		<-time.After(takes) // it acts though its caller may leave meanwhile
		w.act(order.FindString(string(body)), r.Header.Get("Idempotency-Key"))
		rw.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(srv.Close)
	w.URL = srv.URL
	return w
}

func (w *witness) act(order, key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.orders[order]++
	w.keys[key]++
	w.acts++
}

// count answers with how many different orders were acted on, and how many acts there were.
func (w *witness) count() (orders, acts int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.orders), w.acts
}

// check fails the test unless each of those orders was acted on once, under a key of
// its own.
func (w *witness) check(t *testing.T, published []string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	lost, twice := 0, 0
	for _, o := range published {
		switch n := w.orders[o]; {
		case n == 0:
			lost++
		case n > 1:
			twice++
		}
	}
	t.Logf("published %d, acts %d, acted on once %d, lost %d, twice %d, keys %d",
		len(published), w.acts, len(published)-lost-twice, lost, twice, len(w.keys))
	if lost > 0 || twice > 0 || w.acts != len(published) || len(w.keys) != len(published) || w.keys[""] > 0 {
		t.Errorf("not every order acted once: lost %d, twice %d, acts %d, keys %d", lost, twice, w.acts, len(w.keys))
	}
}
