package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestBadConfigurationIsRefusedWithEveryFault(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		vars map[string]string
		want []string
	}{
		"nothing to pull":    {map[string]string{}, []string{"ONCEWAY_SUBSCRIPTIONS:"}},
		"no such function":   {map[string]string{"ONCEWAY_SUBSCRIPTIONS": "Restart=restart-pull"}, []string{`ONCEWAY_SUBSCRIPTIONS: "Restart"`}},
		"not for events":     {map[string]string{"ONCEWAY_SUBSCRIPTIONS": "Score=score-pull"}, []string{`ONCEWAY_SUBSCRIPTIONS: "Score"`}},
		"the function's own": {map[string]string{"ONCEWAY_SUBSCRIPTIONS": "Relay=relay-pull"}, []string{"ONCEWAY_RELAY_URL:"}},
		"several at once": {
			map[string]string{"ONCEWAY_SUBSCRIPTIONS": "Relay=relay-pull", "ONCEWAY_OUTSTANDING": "0", "ONCEWAY_HEARTBEAT": "200s"},
			[]string{"ONCEWAY_OUTSTANDING:", "ONCEWAY_HEARTBEAT:", "ONCEWAY_RELAY_URL:"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.vars["GOOGLE_CLOUD_PROJECT"] = "demo-project"
			err := realMain(t.Context(), func(n string) (string, bool) { v, ok := tc.vars[n]; return v, ok }, new(bytes.Buffer))
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error lacks %q: %v", want, err)
				}
			}
		})
	}
}
