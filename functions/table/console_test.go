package table_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cloud.google.com/go/pubsub/v2"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/functions/table"
	"onceway.internal/shared/setting"
)

// A console that nobody signs in to is never served where somebody else could reach it:
// alone it does not start, among other functions it answers 503.
func TestAConsoleWithoutSignInIsServedOnLoopbackAlone(t *testing.T) {
	t.Parallel()
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(policy, []byte("default: viewer\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const audience = "/projects/123/locations/europe-west1/services/console"
	for name, tc := range map[string]struct {
		vars   map[string]string
		fault  string
		status int // of a request from this machine
	}{
		"loopback":                  {map[string]string{"ONCEWAY_HOST": "127.0.0.1"}, "", 200},
		"IPv6 loopback":             {map[string]string{"ONCEWAY_HOST": "::1"}, "", 200},
		"every address":             {map[string]string{"ONCEWAY_HOST": ""}, "ONCEWAY_CONSOLE_AUDIENCE", 503},
		"another address":           {map[string]string{"ONCEWAY_HOST": "192.0.2.1"}, "ONCEWAY_CONSOLE_AUDIENCE", 503},
		"Cloud Run":                 {map[string]string{"ONCEWAY_HOST": "127.0.0.1", "K_SERVICE": "console"}, "ONCEWAY_CONSOLE_AUDIENCE", 503},
		"every address, the proxy":  {map[string]string{"ONCEWAY_HOST": "", "ONCEWAY_CONSOLE_AUDIENCE": audience}, "", 401},
		"keys that are nowhere":     {map[string]string{"ONCEWAY_CONSOLE_AUDIENCE": audience, "ONCEWAY_CONSOLE_KEYS": "keys"}, "ONCEWAY_CONSOLE_KEYS", 503},
		"loopback, and no identity": {map[string]string{"ONCEWAY_HOST": "127.0.0.1", "ONCEWAY_CONSOLE_IDENTITY": ""}, "", 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vars := map[string]string{
				"GOOGLE_CLOUD_PROJECT": "demo-project", "FUNCTION_TARGET": "Console", "ONCEWAY_CLAIMS": "memory", "ONCEWAY_STATE": "memory",
				"ONCEWAY_GROUPS": "../../infra/groups.yaml", "ONCEWAY_CHAT_POLICY": policy,
			}
			for k, v := range tc.vars {
				vars[k] = v
			}
			c, err := setting.Load(t.Context(), func(name string) (string, bool) { v, ok := vars[name]; return v, ok })
			if err != nil {
				t.Fatal(err)
			}
			e, _ := table.Find("Console")
			var f setting.Faults
			e.Check(c, &f)
			if err := f.Err(); tc.fault == "" && err != nil || tc.fault != "" && (err == nil || !strings.Contains(err.Error(), tc.fault)) {
				t.Errorf("fault %v, want %q", err, tc.fault)
			}
			app, err := table.NewApp(t.Context(), c, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			app.UsePubSub(idle(t))
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/groups", nil)
			r.RemoteAddr = "127.0.0.1:40000"
			w := httptest.NewRecorder()
			if app.Handler(e).ServeHTTP(w, r); w.Code != tc.status {
				t.Errorf("answer %d, want %d", w.Code, tc.status)
			}
		})
	}
}

// idle is a client of a Pub/Sub that nobody asks.
func idle(t *testing.T) *pubsub.Client {
	t.Helper()
	c, err := pubsub.NewClient(t.Context(), "demo-project", option.WithEndpoint("127.0.0.1:1"), option.WithoutAuthentication(), option.WithTelemetryDisabled(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}
