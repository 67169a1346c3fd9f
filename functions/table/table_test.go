package table_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"onceway.internal/functions/table"
	"onceway.internal/shared/setting"
)

func TestEveryFunctionIsOfOneKindAndChecksItself(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, e := range table.Entries() {
		if (e.Push == nil) == (e.HTTP == nil) || e.Check == nil || e.Name == "" || seen[e.Name] {
			t.Errorf("%q: wants a name of its own, a check, and one of Push and HTTP", e.Name)
		}
		seen[e.Name] = true
		var f setting.Faults
		e.Check(setting.Config{}, &f)
		if f.Err() == nil {
			t.Errorf("%s: finds nothing wrong with an empty configuration", e.Name)
		}
	}
}

// A function whose making fails, here for want of a groups file, is answered with 503
// (Pub/Sub and Scheduler come again) and tells callers nothing of the inside.
func TestFunctionThatCannotStartIsANackAndTriesAgain(t *testing.T) {
	t.Parallel()
	app, err := table.NewApp(t.Context(), setting.Config{Routing: setting.Routing{Groups: "no-such-file.yaml"}}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	e, _ := table.Find("Score")
	h := app.Handler(e)
	for range 2 {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", nil))
		if w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "no-such-file") {
			t.Errorf("answer = %d %q, want 503 without the cause", w.Code, w.Body)
		}
	}
}
