package setting_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/setting"
)

func env(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

func load(t *testing.T, vars map[string]string) setting.Config {
	t.Helper()
	c, err := setting.Load(t.Context(), env(vars))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDefaultsAreValidForEveryFunction(t *testing.T) {
	t.Parallel()
	c := load(t, map[string]string{"GOOGLE_CLOUD_PROJECT": "demo-project"})
	var f setting.Faults
	c.CheckProcess(&f)
	c.CheckOnce(&f)
	c.CheckPush(&f)
	c.CheckState(&f)
	c.CheckWorker(&f)
	if err := f.Err(); err != nil {
		t.Fatal(err)
	}
	if got, want := c.TTL(), (7+31+1)*24*time.Hour; got != want {
		t.Errorf("TTL = %v, want %v: retention of both subscriptions and a day", got, want)
	}
}

func TestEveryUnreadableVariableIsNamedAndNoValueIsRepeated(t *testing.T) {
	t.Parallel()
	_, err := setting.Load(t.Context(), env(map[string]string{
		"ONCEWAY_LEASE": "s3cret", "ONCEWAY_CONCURRENCY": "s3cret", "ONCEWAY_LOCAL": "s3cret",
	}))
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{"ONCEWAY_LEASE", "ONCEWAY_CONCURRENCY", "ONCEWAY_LOCAL"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("error does not name %s: %v", name, err)
		}
	}
	if strings.Contains(err.Error(), "s3cret") {
		t.Errorf("error repeats a value: %v", err)
	}
}

func TestEveryFaultIsNamedByItsVariable(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		vars map[string]string
		want []string
	}{
		"handler outlives its lease":    {map[string]string{"ONCEWAY_HANDLER_TIMEOUT": "300s"}, []string{"ONCEWAY_HANDLER_TIMEOUT"}},
		"ack deadline too short":        {map[string]string{"ONCEWAY_ACK_DEADLINE": "500s"}, []string{"ONCEWAY_ACK_DEADLINE"}},
		"ack deadline over the bound":   {map[string]string{"ONCEWAY_ACK_DEADLINE": "601s"}, []string{"ONCEWAY_ACK_DEADLINE"}},
		"unknown backends":              {map[string]string{"ONCEWAY_CLAIMS": "disk", "ONCEWAY_STATE": "disk"}, []string{"ONCEWAY_CLAIMS", "ONCEWAY_STATE"}},
		"backends without their URLs":   {map[string]string{"ONCEWAY_CLAIMS": "redis"}, []string{"ONCEWAY_REDIS_URL"}},
		"postgres without its URL":      {map[string]string{"ONCEWAY_CLAIMS": "postgres"}, []string{"ONCEWAY_POSTGRES_URL"}},
		"memory on Cloud Run":           {map[string]string{"ONCEWAY_CLAIMS": "memory", "ONCEWAY_STATE": "memory", "K_SERVICE": "chat"}, []string{"ONCEWAY_CLAIMS", "ONCEWAY_STATE"}},
		"dead-letter topic":             {map[string]string{"ONCEWAY_DEADLETTER_TOPIC": "projects/demo-project/queues/x"}, []string{"ONCEWAY_DEADLETTER_TOPIC"}},
		"heartbeat over a third":        {map[string]string{"ONCEWAY_HEARTBEAT": "101s"}, []string{"ONCEWAY_HEARTBEAT"}},
		"several at once":               {map[string]string{"ONCEWAY_MAX_ATTEMPTS": "-1", "ONCEWAY_POLL": "-1s", "ONCEWAY_CACHE": "-1"}, []string{"ONCEWAY_MAX_ATTEMPTS", "ONCEWAY_POLL", "ONCEWAY_CACHE"}},
		"project that is none":          {map[string]string{"GOOGLE_CLOUD_PROJECT": "Demo Project"}, []string{"GOOGLE_CLOUD_PROJECT"}},
		"subscriptions that are none":   {map[string]string{"ONCEWAY_SUBSCRIPTIONS": "Relay,Relay=x"}, []string{"ONCEWAY_SUBSCRIPTIONS"}},
		"one subscription, two readers": {map[string]string{"ONCEWAY_SUBSCRIPTIONS": "Relay=relay-pull,Chat=relay-pull"}, []string{"ONCEWAY_SUBSCRIPTIONS"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vars := map[string]string{"GOOGLE_CLOUD_PROJECT": "demo-project"}
			for k, v := range tc.vars {
				vars[k] = v
			}
			c := load(t, vars)
			var f setting.Faults
			c.CheckProcess(&f)
			c.CheckOnce(&f)
			c.CheckPush(&f)
			c.CheckState(&f)
			c.CheckWorker(&f)
			if len(c.Worker.Subscriptions) > 0 {
				c.Pulls(&f)
			}
			err := f.Err()
			if err == nil {
				t.Fatal("no fault was found")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want+":") {
					t.Errorf("fault does not name %s: %v", want, err)
				}
			}
		})
	}
}

func TestPullsAreReadAndMadeFull(t *testing.T) {
	t.Parallel()
	c := load(t, map[string]string{
		"GOOGLE_CLOUD_PROJECT":  "demo-project",
		"ONCEWAY_SUBSCRIPTIONS": "Relay=relay-pull, Chat=projects/other-project/subscriptions/chat-pull",
	})
	var f setting.Faults
	got := c.Pulls(&f)
	if err := f.Err(); err != nil {
		t.Fatal(err)
	}
	want := []setting.Pull{
		{Function: "Relay", Subscription: "projects/demo-project/subscriptions/relay-pull"},
		{Function: "Chat", Subscription: "projects/other-project/subscriptions/chat-pull"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSecretsNeverShow(t *testing.T) {
	t.Parallel()
	c := load(t, map[string]string{"ONCEWAY_REDIS_URL": "redis://user:hunter2@127.0.0.1:6379/0"})
	for _, text := range []string{fmt.Sprint(c), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c)} {
		if strings.Contains(text, "hunter2") {
			t.Errorf("secret shows in %s", text)
		}
	}
	if c.Store.Redis.Reveal() != "redis://user:hunter2@127.0.0.1:6379/0" {
		t.Error("secret is not kept")
	}
}

// The README's table is for people; this keeps it whole.
func TestReadmeListsEveryVariable(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range setting.Variables() {
		row := fmt.Sprintf("| `%s` | %s | %s |", v.Name, v.Type, code(v.Default))
		if !strings.Contains(string(readme), row) {
			t.Errorf("README.md lacks the row %s (go run ./scripts/ctl config -o json lists all)", row)
		}
	}
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
