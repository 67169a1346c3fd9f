package once_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/claimtest"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/once"
)

func pushBody(id, data string) string {
	return fmt.Sprintf(`{"message":{"data":%q,"messageId":%q,"publishTime":"2026-01-02T03:04:05Z"},"subscription":%q}`,
		base64.StdEncoding.EncodeToString([]byte(data)), id, subscription)
}

func push(t *testing.T, b *bench, h once.Handler, body io.Reader) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", body)
	req.Header.Set("Content-Type", "application/json")
	once.Push(b.runner.Bind(h), slog.New(slog.NewJSONHandler(b.log, nil))).ServeHTTP(w, req)
	return w
}

func TestPushAnswersByOutcome(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b, h := newBench(t), &work{policy: claim.AtMostOnce}
		for _, step := range []struct {
			name    string
			before  func()
			body    io.Reader
			status  int
			outcome string
		}{
			{"no JSON", nil, strings.NewReader("{"), 400, "malformed"},
			{"too large", nil, io.LimitReader(zeros{}, envelope.MaxBody+1), 413, "too-large"},
			{"store down", func() { b.store.Plan(claimtest.Fault{Op: claimtest.Any, Err: claimtest.ErrDown}) }, strings.NewReader(pushBody("m1", "p")), 503, "store-down"},
			{"first", func() { b.store.Plan() }, strings.NewReader(pushBody("m1", "p")), 204, "done"},
			{"again", nil, strings.NewReader(pushBody("m1", "p")), 204, "duplicate"},
			{"other payload", nil, strings.NewReader(pushBody("m1", "q")), 204, "payload-mismatch"},
		} {
			if step.before != nil {
				step.before()
			}
			w := push(t, b, h, step.body)
			if w.Code != step.status || w.Header().Get(once.HeaderOutcome) != step.outcome {
				t.Errorf("%s: %d %q, want %d %q", step.name, w.Code, w.Header().Get(once.HeaderOutcome), step.status, step.outcome)
			}
		}
	})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func TestEachDeliveryIsOneLogLineAndTheDuplicateIsSeen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBench(t)
		h := &work{policy: claim.AtMostOnce, run: func(context.Context, *once.Delivery) error { return nil }}
		push(t, b, h, strings.NewReader(pushBody("m1", "secret payload")))
		push(t, b, h, strings.NewReader(pushBody("m1", "secret payload")))
		push(t, b, h, strings.NewReader("{"))
		var got [][]any
		for line := range strings.Lines(b.log.String()) {
			var l struct {
				Msg, Outcome, State string
				KeyHash             string `json:"key_hash"`
				Epoch, Attempt      int
			}
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			got = append(got, []any{l.Msg, l.Outcome, l.State, l.KeyHash, l.Epoch, l.Attempt})
		}
		hash := claim.ID("restart", "k1")[:16]
		want := [][]any{
			{"delivery", "done", "DONE", hash, 1, 1},
			{"delivery", "duplicate", "DONE", hash, 1, 1},
			{"delivery", "malformed", "", "", 0, 0},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
		if strings.Contains(b.log.String(), "secret") {
			t.Error("the log holds the payload")
		}
	})
}
