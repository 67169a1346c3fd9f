//go:build emulators

package e2e

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/durationpb"

	"onceway.internal/test/process"
	"onceway.internal/test/servers"
	"onceway.internal/test/wait"
	"onceway.internal/test/witness"
)

const (
	project = "demo-project"
	within  = 90 * time.Second // for anything to happen, on a busy machine
	lease   = 8 * time.Second
)

// bench is one test's corner of the emulators: a topic for events, a dead-letter
// topic, a receiver to relay to, all under names of its own.
type bench struct {
	t      *testing.T
	name   string
	client *pubsub.Client
	pubsub string // through a tap
	ledger *witness.Ledger
	counts *witness.Deliveries
	mux    *http.ServeMux // of the receivers
	base   string         // URL of the receivers
	logs   *logs
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, name: strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-")), ledger: witness.NewLedger(time.Now), counts: witness.NewDeliveries(nil), mux: http.NewServeMux(), logs: &logs{}}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the processes said:\n%s", b.logs.tail(100))
		}
	})
	warm(t)
	tap, err := witness.NewPullTap(servers.PubSub(t), b.counts, witness.NewFlow(time.Now))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tap.Cut)
	b.pubsub = tap.Addr()
	b.client, err = pubsub.NewClient(t.Context(), project, option.WithEndpoint(servers.PubSub(t)), option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())), option.WithTelemetryDisabled())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.client.Close() })
	server := httptest.NewServer(b.mux)
	t.Cleanup(server.Close)
	b.base = server.URL
	for _, topic := range []string{"events", "dead-letters"} {
		if _, err := b.client.TopicAdminClient.CreateTopic(t.Context(), &pubsubpb.Topic{Name: b.topic(topic)}); err != nil {
			t.Fatal(err)
		}
	}
	b.subscribe("witness", "dead-letters", "")
	b.watchLetters()
	return b
}

func (b *bench) topic(name string) string {
	return "projects/" + project + "/topics/" + b.name + "-" + name
}

func (b *bench) sub(name string) string {
	return "projects/" + project + "/subscriptions/" + b.name + "-" + name
}

// subscribe deletes the subscription with the test: the emulator would go on pushing.
func (b *bench) subscribe(name, topic, endpoint string) {
	b.t.Helper()
	sub := &pubsubpb.Subscription{
		Name: b.sub(name), Topic: b.topic(topic), AckDeadlineSeconds: 20,
		RetryPolicy: &pubsubpb.RetryPolicy{MinimumBackoff: durationpb.New(200 * time.Millisecond), MaximumBackoff: durationpb.New(time.Second)},
	}
	if endpoint != "" {
		sub.PushConfig = &pubsubpb.PushConfig{PushEndpoint: endpoint}
	}
	if _, err := b.client.SubscriptionAdminClient.CreateSubscription(b.t.Context(), sub); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		_ = b.client.SubscriptionAdminClient.DeleteSubscription(teardown(b.t), &pubsubpb.DeleteSubscriptionRequest{Subscription: sub.Name})
	})
}

// tap stands before a function, which target may change, and is what Pub/Sub pushes to.
func (b *bench) tap(target func() string, repeat func(string) witness.Repeat) (endpoint string) {
	b.t.Helper()
	tap, err := witness.NewPushTap(target, b.counts, repeat)
	if err != nil {
		b.t.Fatal(err)
	}
	server := httptest.NewServer(tap)
	b.t.Cleanup(func() {
		server.Close()
		tap.Close()
	})
	return server.URL
}

// receive puts a receiver at path.
func (b *bench) receive(path string, faults witness.Faults) {
	b.mux.Handle(path, witness.NewReceiver(b.ledger, faults))
}

func (b *bench) publish(e witness.Event, data string, attributes map[string]string) {
	b.t.Helper()
	b.ledger.Publishing(e)
	p := b.client.Publisher(b.topic("events"))
	defer p.Stop()
	if _, err := p.Publish(b.t.Context(), &pubsub.Message{Data: []byte(data), Attributes: attributes}).Get(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
}

// env is what every process here needs; its lease ends well before Pub/Sub's ack deadline.
func (b *bench) env(own map[string]string) map[string]string {
	env := map[string]string{
		"GOOGLE_CLOUD_PROJECT": project, "ONCEWAY_HOST": "127.0.0.1", "ONCEWAY_PREFIX": b.name + "-",
		"PUBSUB_EMULATOR_HOST": b.pubsub, "FIRESTORE_EMULATOR_HOST": servers.Firestore(b.t),
		"ONCEWAY_DEADLETTER_TOPIC": b.topic("dead-letters"), "ONCEWAY_RELAY_URL": b.base + "/relay", "ONCEWAY_RELAY_PRIVATE": "true",
		"ONCEWAY_LEASE": lease.String(), "ONCEWAY_HANDLER_TIMEOUT": "7s", "ONCEWAY_MARGIN": "1s", "ONCEWAY_ACK_DEADLINE": "20s", "ONCEWAY_RELAY_TIMEOUT": "6s",
		"ONCEWAY_WAIT": "2s", "ONCEWAY_POLL": "50ms", "ONCEWAY_STORE_TIMEOUT": "5s", "ONCEWAY_FINISH_BUDGET": "5s", "ONCEWAY_GRACE": "1s",
		"ONCEWAY_GROUPS": b.groups(), "ONCEWAY_ROUTE_POLICY": "weighted-round-robin",
	}
	maps.Copy(env, own)
	return env
}

func (b *bench) groups() string {
	path := filepath.Join(b.t.TempDir(), "groups.yaml")
	text := "default: dg01\ngroups:\n  - id: dg01\n    open: true\n    queues:\n      - name: personalizer\n        rate: 10\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// function starts a function's process and answers with its URL.
func (b *bench) function(name string, own map[string]string) string {
	b.t.Helper()
	addr := b.freeAddr()
	env := b.env(own)
	env["FUNCTION_TARGET"] = name
	_, env["PORT"], _ = net.SplitHostPort(addr)
	b.start(name, binaries.Functions, env, "http://"+addr+"/")
	return "http://" + addr + "/"
}

// worker starts a worker's process that pulls subscription for the function Relay.
func (b *bench) worker(name, subscription string, own map[string]string) *process.Process {
	b.t.Helper()
	addr := b.freeAddr()
	env := b.env(own)
	env["ONCEWAY_SUBSCRIPTIONS"] = "Relay=" + b.sub(subscription)
	env["ONCEWAY_WORKER_ADDRESS"] = addr
	return b.start(name, binaries.Worker, env, "http://"+addr+"/healthz")
}

func (b *bench) start(name, binary string, env map[string]string, health string) *process.Process {
	b.t.Helper()
	p, err := process.Start(name, binary, env, b.logs)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(p.Kill)
	if err := p.AwaitHTTP(b.t.Context(), health); err != nil {
		b.t.Fatal(err)
	}
	return p
}

func (b *bench) freeAddr() string {
	b.t.Helper()
	addr, err := process.FreeAddr()
	if err != nil {
		b.t.Fatal(err)
	}
	return addr
}

// settled waits until every event acted or was kept.
func (b *bench) settled() {
	b.t.Helper()
	wait.Until(b.t, within, "every event acts or is kept", func() bool { return len(b.ledger.Lost()) == 0 })
}

// logged waits until n log lines of deliveries say outcome.
func (b *bench) logged(outcome string, n int) {
	b.t.Helper()
	wait.Until(b.t, within, fmt.Sprintf("%d log lines say %q", n, outcome), func() bool { return b.logs.count(`"outcome":"`+outcome+`"`) >= n })
}

// logs collects what the processes print.
type logs struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logs) count(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), part)
}

func (l *logs) tail(lines int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := strings.Split(l.text.String(), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
