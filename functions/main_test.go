package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"onceway.internal/functions/table"
	"onceway.internal/shared/serve"
)

func env(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

func TestUnknownTargetListsTheKnownOnes(t *testing.T) {
	t.Parallel()
	err := realMain(t.Context(), env(map[string]string{"GOOGLE_CLOUD_PROJECT": "demo-project", "FUNCTION_TARGET": "Restart"}), new(bytes.Buffer))
	if !errors.Is(err, serve.ErrUnknownTarget) {
		t.Fatalf("error = %v, want ErrUnknownTarget", err)
	}
	for _, name := range table.Names() {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("error does not list %s: %v", name, err)
		}
	}
}

func TestBadConfigurationIsRefusedWithEveryFault(t *testing.T) {
	t.Parallel()
	err := realMain(t.Context(), env(map[string]string{
		"FUNCTION_TARGET": "Relay", "ONCEWAY_MAX_ATTEMPTS": "0", "ONCEWAY_RELAY_URL": "ftp://example.com",
	}), new(bytes.Buffer))
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{"GOOGLE_CLOUD_PROJECT", "ONCEWAY_MAX_ATTEMPTS", "ONCEWAY_RELAY_URL"} {
		if !strings.Contains(err.Error(), name+":") {
			t.Errorf("error does not name %s: %v", name, err)
		}
	}
}
