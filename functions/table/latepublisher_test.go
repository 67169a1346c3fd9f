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

// Without a project no Pub/Sub client can be made: a function that nevertheless answers
// made none, and so started without waiting for one.
func TestFunctionStartsWithoutPubSub(t *testing.T) {
	t.Parallel()
	vars := map[string]string{"ONCEWAY_CLAIMS": "memory", "ONCEWAY_LOCAL": "true", "ONCEWAY_RELAY_URL": "https://tools.acme.example/"}
	c, err := setting.Load(t.Context(), func(name string) (string, bool) { v, ok := vars[name]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	app, err := table.NewApp(t.Context(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := app.Publisher(t.Context()); err == nil {
		t.Fatal("a Pub/Sub client was made without a project")
	}
	e, _ := table.Find("Relay")
	w := httptest.NewRecorder()
	app.Handler(e).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(
		`{"message":{"messageId":"1","attributes":{"onceway-handler":"another"}},"subscription":"projects/demo-project/subscriptions/events"}`)))
	if w.Code != http.StatusNoContent {
		t.Errorf("answer = %d %q, want 204", w.Code, w.Body)
	}
	if err := app.Close(); err != nil {
		t.Error(err)
	}
}
