//go:build emulators

package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/test/process"
	"onceway.internal/test/servers"
	"onceway.internal/test/wait"
	"onceway.internal/test/wire"
)

const soon = time.Minute

var binary string

func TestMain(m *testing.M) { os.Exit(built(m)) }

func built(m *testing.M) int {
	dir, err := os.MkdirTemp("", "onceway-worker-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binaries, err := process.Build(context.Background(), dir, true)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	binary = binaries.Worker
	return servers.Run(m)
}

// worker is a process of the binary.
type worker struct {
	*process.Process
	addr string
	log  string // file
}

// start runs a worker that pulls one subscription, which exists.
func start(t *testing.T, env map[string]string) *worker {
	t.Helper()
	addr, err := process.FreeAddr()
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	all := map[string]string{
		"GOOGLE_CLOUD_PROJECT": "demo-project", "PUBSUB_EMULATOR_HOST": servers.PubSub(t), "ONCEWAY_LOCAL": "true",
		"ONCEWAY_CLAIMS": "memory", "ONCEWAY_STATE": "memory", "ONCEWAY_RELAY_URL": "http://127.0.0.1:1", "ONCEWAY_RELAY_PRIVATE": "true",
		"ONCEWAY_SUBSCRIPTIONS": "Relay=" + subscription(t), "ONCEWAY_WORKER_ADDRESS": addr, "ONCEWAY_STORE_TIMEOUT": "2s", "ONCEWAY_GRACE": "1s",
	}
	maps.Copy(all, env)
	p, err := process.Start("worker", binary, all, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return &worker{p, addr, log.Name()}
}

func (w *worker) said(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(w.log)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// status of a probe; 0 while the worker doesn't serve.
func (w *worker) status(path string) int {
	response, err := http.Get("http://" + w.addr + path)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

func (w *worker) endsWithin(t *testing.T, d time.Duration) {
	t.Helper()
	if err := w.Stop(d); err != nil {
		t.Errorf("%v\n%s", err, w.said(t))
	}
}

// subscription makes one with its topic.
func subscription(t *testing.T) (name string) {
	t.Helper()
	c, err := pubsub.NewClient(t.Context(), "demo-project", option.WithEndpoint(servers.PubSub(t)), option.WithoutAuthentication(),
		option.WithTelemetryDisabled(), option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	id := "worker-" + strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))
	topic, name := "projects/demo-project/topics/"+id, "projects/demo-project/subscriptions/"+id
	if _, err := c.TopicAdminClient.CreateTopic(t.Context(), &pubsubpb.Topic{Name: topic}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SubscriptionAdminClient.CreateSubscription(t.Context(), &pubsubpb.Subscription{Name: name, Topic: topic}); err != nil {
		t.Fatal(err)
	}
	return name
}

// behind puts a wire before the server of a URL.
func behind(t *testing.T, raw string) (*wire.Proxy, string) {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	p := wire.New(t, u.Host)
	u.Host = p.Addr()
	return p, u.String()
}

var stores = map[string]struct {
	url     func(testing.TB) string
	setting string
}{
	"redis":    {servers.Redis, "ONCEWAY_REDIS_URL"},
	"postgres": {servers.Postgres, "ONCEWAY_POSTGRES_URL"},
}

func TestWorkerThatStartsBeforeItsStoreWaitsForIt(t *testing.T) {
	t.Parallel()
	for name, s := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, u := behind(t, s.url(t))
			p.Refuse()
			w := start(t, map[string]string{"ONCEWAY_CLAIMS": name, s.setting: u})
			wait.Until(t, soon, "it says that it waits", func() bool { return strings.Contains(w.said(t), "the claim store does not answer yet") })
			if live, ready := w.status("/healthz"), w.status("/readyz"); live != http.StatusOK || ready != http.StatusServiceUnavailable {
				t.Errorf("it answers healthz %d and readyz %d while it waits", live, ready)
			}
			p.Mend()
			wait.Until(t, soon, "it is ready", func() bool { return w.status("/readyz") == http.StatusOK })
			w.endsWithin(t, soon)
		})
	}
}

func TestWorkerThatWaitsForItsStoreEndsAtOnce(t *testing.T) {
	t.Parallel()
	for name, s := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, u := behind(t, s.url(t))
			p.Swallow()
			w := start(t, map[string]string{"ONCEWAY_CLAIMS": name, s.setting: u, "ONCEWAY_STORE_TIMEOUT": "60s"})
			wait.Until(t, soon, "it serves", func() bool { return w.status("/readyz") == http.StatusServiceUnavailable })
			w.endsWithin(t, 10*time.Second)
		})
	}
}

func TestWorkerEndsWithinItsGraceThoughPubSubIsAway(t *testing.T) {
	t.Parallel()
	for name, begins := range map[string]func(*wire.Proxy){"refusing": (*wire.Proxy).Refuse, "swallowing": (*wire.Proxy).Swallow} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := wire.New(t, servers.PubSub(t))
			w := start(t, map[string]string{"PUBSUB_EMULATOR_HOST": p.Addr()})
			wait.Until(t, soon, "it is ready", func() bool { return w.status("/readyz") == http.StatusOK })
			begins(p)
			wait.Until(t, soon, "it is not ready", func() bool { return w.status("/readyz") == http.StatusServiceUnavailable })
			w.endsWithin(t, 10*time.Second)
		})
	}
}

func TestWorkerEndsWhereWaitingIsNoUse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  map[string]string
		says string
	}{
		"no such subscription": {map[string]string{"ONCEWAY_SUBSCRIPTIONS": "Relay=nothing-here"}, "scripts/provision"},
		"no such user": {map[string]string{
			"ONCEWAY_CLAIMS": "postgres", "ONCEWAY_POSTGRES_URL": strings.Replace(servers.Postgres(t), "postgres@", "nobody@", 1),
		}, "can't be used as it is configured"},
		"no URL": {map[string]string{"ONCEWAY_CLAIMS": "redis", "ONCEWAY_REDIS_URL": "127.0.0.1:6379"}, "can't be used as it is configured"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, c.env)
			select {
			case <-w.Done():
			case <-time.After(soon / 2): // half as long as it would wait for a store
				t.Fatalf("it goes on:\n%s", w.said(t))
			}
			if err := w.Stop(0); err == nil || !strings.Contains(w.said(t), c.says) {
				t.Errorf("it ended with %v and did not say %q:\n%s", err, c.says, w.said(t))
			}
		})
	}
}
