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

// TestStormOfCancelledPushesLeavesTheServerHealthy cancels 200 pushes, and then wants
// 50 good ones answered within a second.
func TestStormOfCancelledPushesLeavesTheServerHealthy(t *testing.T) {
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

	storm(t, func(ctx context.Context) { push(ctx, "yes") }, inWork.Load)

	var senders sync.WaitGroup
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
	until(t, "cancelled handlers were told", func() bool { return cancelled.Load() == inWork.Load() })
}

const held, hasty, good = 100, 100, 50

// storm sends requests that never end by themselves and cancels them: half at
// staggered moments, before or while the server reads them, half once they are in work.
func storm(t *testing.T, send func(context.Context), inWork func() int64) {
	t.Helper()
	var senders sync.WaitGroup
	for i := range hasty {
		senders.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*200*time.Microsecond)
			defer cancel()
			send(ctx)
		})
	}
	senders.Wait()
	before := inWork()
	ctx, cancel := context.WithCancel(t.Context())
	for range held {
		senders.Go(func() { send(ctx) })
	}
	// Requests of the first half may still arrive: then a few fewer are waited for.
	until(t, "the storm is in work", func() bool { return inWork() >= before+held })
	cancel()
	senders.Wait()
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
