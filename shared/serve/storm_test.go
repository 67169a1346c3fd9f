package serve_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"onceway.internal/shared/envelope"
	"onceway.internal/shared/serve"
)

// TestStormOfCancelledPushesLeavesTheServerHealthy cancels 200 pushes that are in
// work, and then wants 50 good ones answered within a second.
func TestStormOfCancelledPushesLeavesTheServerHealthy(t *testing.T) {
	const storm, good = 200, 50
	var inWork, cancelled atomic.Int64
	s := start(t, serve.Config{}, func(w http.ResponseWriter, r *http.Request) {
		if _, err := envelope.FromRequest(r); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if r.Header.Get("X-Stuck") != "" {
			inWork.Add(1)
			<-r.Context().Done()
			cancelled.Add(1)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	body := pushBody(t)
	push := func(ctx context.Context, stuck string) int {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
		if err != nil {
			return 0
		}
		req.Header.Set("X-Stuck", stuck)
		resp, err := s.client.Do(req)
		if err != nil {
			return 0
		}
		resp.Body.Close()
		return resp.StatusCode
	}

	ctx, cancel := context.WithCancel(t.Context())
	var senders sync.WaitGroup
	for range storm {
		senders.Go(func() { push(ctx, "yes") })
	}
	until(t, "the storm is in work", func() bool { return inWork.Load() == storm })
	cancel()
	senders.Wait()

	began := time.Now()
	var answered atomic.Int64
	for range good {
		senders.Go(func() {
			if push(t.Context(), "") == http.StatusNoContent {
				answered.Add(1)
			}
		})
	}
	senders.Wait()
	if took := time.Since(began); answered.Load() != good || took > time.Second {
		t.Errorf("%d of %d good pushes answered in %v", answered.Load(), good, took)
	}
	until(t, "cancelled handlers were told", func() bool { return cancelled.Load() == storm })
}

// pushBody is the body of a golden push.
func pushBody(t *testing.T) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("../../test/payloads/push", "service-wrapped.http"))
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := bytes.Cut(raw, []byte("\r\n\r\n"))
	return body
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}
