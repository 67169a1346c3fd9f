package witness

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// maxBody is the most that a receiver reads.
const maxBody = 16 << 20

// Receiver is the service behind relay and webhook. It counts every request that it
// lets through as an act: it does not deduplicate, so that what should have been
// held back shows.
type Receiver struct {
	ledger *Ledger
	faults Faults

	mu    sync.Mutex
	tries map[string]int
}

// Faults are what a receiver does wrong on purpose. The zero value does nothing wrong.
type Faults struct {
	// FailFirst answers 503 to the first request of an event, before any effect.
	FailFirst func(event string) bool
	// Hold is called after the effect and before the answer; the request stays
	// open until it returns. ended is closed when the caller is gone.
	Hold func(event string, ended <-chan struct{})
	// Latency is what every request takes.
	Latency time.Duration
}

// NewReceiver returns a receiver that records in ledger.
func NewReceiver(ledger *Ledger, faults Faults) *Receiver {
	if ledger == nil {
		panic("witness: a receiver needs a ledger")
	}
	return &Receiver{ledger: ledger, faults: faults, tries: map[string]int{}}
}

// ServeHTTP takes one request. Without Idempotency-Key it is refused and recorded as a stray.
func (s *Receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "can't read the body", http.StatusBadRequest)
		return
	}
	operation := r.Header.Get("Idempotency-Key")
	event := Identify(string(body), r.URL.String())
	if operation == "" {
		s.ledger.Saw(Act{Event: event, Channel: HTTP})
		http.Error(w, "Idempotency-Key is missing", http.StatusBadRequest)
		return
	}
	if s.fails(event) {
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	}
	if !pause(r, s.faults.Latency) {
		return // the caller left before anything happened
	}
	s.ledger.Saw(Act{Event: event, Channel: HTTP, Operation: operation, Epoch: r.Header.Get("Onceway-Epoch")})
	if s.faults.Hold != nil {
		s.faults.Hold(event, r.Context().Done())
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Receiver) fails(event string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries[event]++
	return s.tries[event] == 1 && s.faults.FailFirst != nil && s.faults.FailFirst(event)
}

// pause waits and reports whether the caller is still there.
func pause(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}
