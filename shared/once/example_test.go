package once_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/once"
)

// payments is an HTTP endpoint that charges once for each Idempotency-Key, and answers
// a repeat as it answered the first time.
type payments struct {
	runner  *once.Runner
	charged int
}

// kept is what a repeat is answered with.
type kept struct {
	Status int
	Body   string
}

func (p *payments) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		http.Error(w, "Idempotency-Key is missing", http.StatusBadRequest)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "body is too large", http.StatusRequestEntityTooLarge)
		return
	}
	reply, err := p.runner.Do(r.Context(), once.Call{
		Handler: "payments", Key: key, Policy: claim.AtMostOnceAfterBegin,
		Payload: append([]byte(r.Method+" "+r.URL.Path+"\n"), body...),
	}, p.charge)
	switch {
	case err == nil:
	case errors.Is(err, once.ErrMismatch):
		http.Error(w, "the key was used for another request", http.StatusUnprocessableEntity)
		return
	case errors.Is(err, once.ErrInFlight), errors.Is(err, once.ErrParked):
		http.Error(w, "the first request is not settled", http.StatusConflict)
		return
	default:
		http.Error(w, "try again with the same key", http.StatusServiceUnavailable)
		return
	}
	var k kept
	if err := json.Unmarshal(reply.Result, &k); err != nil {
		http.Error(w, "done, but its answer was not kept", http.StatusGone)
		return
	}
	if reply.Repeat {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.WriteHeader(k.Status)
	_, _ = io.WriteString(w, k.Body)
}

// charge is the destructive part. Begin comes right before the effect; the operation
// ID goes to whatever downstream can deduplicate by it.
func (p *payments) charge(ctx context.Context, d *once.Delivery) ([]byte, error) {
	if _, err := d.Begin(ctx); err != nil {
		return nil, err
	}
	p.charged++
	return json.Marshal(kept{http.StatusCreated, fmt.Sprintf("charge %d", p.charged)})
}

// A repeat with the same Idempotency-Key is answered with the stored answer; the same
// key with another body is refused.
func ExampleRunner_Do() {
	store, err := memclaim.New(1000, time.Now)
	if err != nil {
		panic(err)
	}
	claims, err := claim.NewMachine(claim.Config{
		Store: store, Clock: clock.System{}, Lease: time.Minute, TTL: 24 * time.Hour,
		SettleAfter: 5 * time.Minute, MaxAttempts: 5, StoreTimeout: 5 * time.Second, FinishBudget: 10 * time.Second,
	})
	if err != nil {
		panic(err)
	}
	runner, err := once.NewRunner(once.Config{
		Claims: claims, DeadLetters: &topic{}, Clock: clock.System{}, Log: slog.New(slog.DiscardHandler),
		HandlerTimeout: 30 * time.Second, PublishTimeout: 10 * time.Second,
		WaitPoll: 100 * time.Millisecond, Slots: 100, Lifetime: context.Background(),
	})
	if err != nil {
		panic(err)
	}
	endpoint := &payments{runner: runner}
	post := func(key, body string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/charges", strings.NewReader(body))
		r.Header.Set("Idempotency-Key", key)
		endpoint.ServeHTTP(w, r)
		fmt.Printf("%d %s, replayed: %t\n", w.Code, strings.TrimSpace(w.Body.String()), w.Header().Get("Idempotent-Replayed") != "")
	}
	post("order-7", `{"amount":100}`)
	post("order-7", `{"amount":100}`)
	post("order-7", `{"amount":900}`)
	post("order-8", `{"amount":100}`)
	// Output:
	// 201 charge 1, replayed: false
	// 201 charge 1, replayed: true
	// 422 the key was used for another request, replayed: false
	// 201 charge 2, replayed: false
}

// Verdicts survive wrapping: they are matched by type.
func ExamplePermanent() {
	err := fmt.Errorf("restart: %w", once.Permanent(errors.New("no such deployment"), "unknown-target"))
	p, ok := errors.AsType[*once.PermanentError](err)
	fmt.Println(ok, p.Reason)
	// Output: true unknown-target
}
