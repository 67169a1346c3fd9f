//go:build browser

package browser

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
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

	"onceway.internal/functions/table"
	"onceway.internal/shared/setting"
	"onceway.internal/test/local"
	"onceway.internal/test/monitoring"
	"onceway.internal/test/wait"
	"onceway.internal/test/witness"
)

const (
	project   = "demo-project"
	operator  = "oncall@acme.example"
	eventual  = 20 * time.Second
	scorePace = 500 * time.Millisecond
)

var (
	groupIDs   = []string{"dg01", "dg02", "dg03", "dg04"}
	rates      = map[string]float64{"dg01": 45, "dg02": 40, "dg03": 30, "dg04": 25}
	queueNames = []string{"personalizer", "device-mapper", "delivery", "inbox"}
)

// stack is every function over Pub/Sub in memory, with the console at a URL of its own.
type stack struct {
	t        testing.TB
	broker   *local.Server
	client   *pubsub.Client
	app      *table.App
	console  string // base URL
	base     string // of the functions
	receiver *receiver
}

// receiver is the service that Relay posts to. It fails, after it may have acted, for
// events that say so, as often as they have not been allowed.
type receiver struct {
	mu      sync.Mutex
	acts    map[string]int // by event
	allowed map[string]bool
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	name := string(body)
	if strings.HasPrefix(name, "park") && !r.allowed[name] {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	r.acts[name]++
}

func (r *receiver) allow(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.allowed[name] = true
}

func (r *receiver) count(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.acts[name]
}

func topic(name string) string { return "projects/" + project + "/topics/" + name }
func sub(name string) string   { return "projects/" + project + "/subscriptions/" + name }

func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// start starts everything; more are variables beside the usual ones.
func start(t testing.TB, more map[string]string) *stack {
	t.Helper()
	s := &stack{t: t, receiver: &receiver{acts: map[string]int{}, allowed: map[string]bool{}}}
	s.broker = must(local.Start(local.Config{Seed: 1}))(t)
	t.Cleanup(s.broker.Close)
	metrics := s.metrics()
	hooks := s.listen(s.receiver)
	dir := t.TempDir()
	s.write(dir, "groups.yaml", groupsYAML())
	s.write(dir, "policy.yaml", "default: viewer\nroles:\n  operator:\n    emails: ["+operator+"]\n")
	s.write(dir, "tools.yaml", "tools: []\n")
	env := map[string]string{
		"GOOGLE_CLOUD_PROJECT": project, "ONCEWAY_LOCAL": "true", "ONCEWAY_HOST": "127.0.0.1",
		"ONCEWAY_CLAIMS": "memory", "ONCEWAY_STATE": "memory",
		"ONCEWAY_GROUPS": filepath.Join(dir, "groups.yaml"), "ONCEWAY_CHAT_POLICY": filepath.Join(dir, "policy.yaml"), "ONCEWAY_CHAT_TOOLS": filepath.Join(dir, "tools.yaml"),
		"ONCEWAY_RELAY_URL": hooks + "/relay", "ONCEWAY_RELAY_PRIVATE": "true", "ONCEWAY_RELAY_POLICY": "at-most-once", "ONCEWAY_RELAY_TIMEOUT": "2s",
		"ONCEWAY_MONITORING_ENDPOINT": metrics, "ONCEWAY_SCORE_PERIOD": "10s",
		"ONCEWAY_LEASE": "4s", "ONCEWAY_HANDLER_TIMEOUT": "3s", "ONCEWAY_MARGIN": "1s", "ONCEWAY_ACK_DEADLINE": "10s",
		"ONCEWAY_WAIT": "500ms", "ONCEWAY_POLL": "20ms", "ONCEWAY_SETTLE_AFTER": "500ms", "ONCEWAY_CONCURRENCY": "32",
		"ONCEWAY_CONSOLE_IDENTITY": operator,
	}
	for k, v := range more {
		env[k] = v
	}
	c := must(setting.Load(t.Context(), func(name string) (string, bool) { v, ok := env[name]; return v, ok }))(t)
	s.client = s.connect()
	log := io.Discard
	if testing.Verbose() {
		log = t.Output()
	}
	s.app = must(table.NewApp(t.Context(), c, slog.New(slog.NewTextHandler(log, nil))))(t)
	s.app.UsePubSub(s.connect())
	t.Cleanup(func() { _ = s.app.Close() })
	mux := http.NewServeMux()
	for _, e := range table.Entries() {
		var f setting.Faults
		if e.Check(c, &f); f.Err() != nil {
			t.Fatalf("%s: %v", e.Name, f.Err())
		}
		if e.Name == "Console" {
			s.console = s.listen(s.app.Handler(e))
			continue
		}
		mux.Handle("/"+e.Name, s.app.Handler(e))
	}
	s.base = s.listen(mux)
	s.provision()
	return s
}

func (s *stack) write(dir, name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func groupsYAML() string {
	var b strings.Builder
	b.WriteString("default: dg01\noverflow: campaigns-overflow\ngroups:\n")
	for _, id := range groupIDs {
		fmt.Fprintf(&b, "  - id: %s\n    open: true\n    queues:\n", id)
		for _, q := range queueNames {
			fmt.Fprintf(&b, "      - {name: %s, rate: %v, weight: 0.25}\n", q, rates[id])
		}
	}
	return b.String()
}

// listen serves on a free loopback port until the test ends.
func (s *stack) listen(h http.Handler) string {
	s.t.Helper()
	l := must(net.Listen("tcp", "127.0.0.1:0"))(s.t)
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }()
	s.t.Cleanup(func() { _ = server.Close() })
	return "http://" + l.Addr().String()
}

func (s *stack) connect() *pubsub.Client {
	s.t.Helper()
	return must(pubsub.NewClient(context.Background(), project, option.WithEndpoint(s.broker.Addr()), option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())), option.WithTelemetryDisabled()))(s.t)
}

// metrics serves the Monitoring stand-in over what the broker really holds.
func (s *stack) metrics() string {
	s.t.Helper()
	m := must(monitoring.New(monitoring.Config{Period: scorePace, MinLag: scorePace / 2, MaxLag: scorePace, Source: func() map[string]monitoring.Figures {
		all := map[string]monitoring.Figures{}
		for _, g := range groupIDs {
			for _, q := range queueNames {
				stats, _ := s.broker.Stats(sub(g + "-" + q))
				f := monitoring.Figures{Undelivered: stats.Undelivered, AckedPull: stats.Acked}
				if !stats.Oldest.IsZero() {
					f.OldestUnacked = time.Since(stats.Oldest)
				}
				all[sub(g+"-"+q)] = f
			}
		}
		return all
	}}))(s.t)
	addr, stop, err := m.Listen("127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); m.Run(ctx) }()
	s.t.Cleanup(func() { cancel(); <-ended; stop() })
	return addr
}

func (s *stack) provision() {
	s.t.Helper()
	ctx := s.t.Context()
	make := func(name, push string) {
		s.t.Helper()
		must(s.client.TopicAdminClient.CreateTopic(ctx, &pubsubpb.Topic{Name: topic(name)}))(s.t)
		p := &pubsubpb.Subscription{Name: sub(name), Topic: topic(name), AckDeadlineSeconds: 10,
			RetryPolicy: &pubsubpb.RetryPolicy{MinimumBackoff: durationpb.New(100 * time.Millisecond), MaximumBackoff: durationpb.New(time.Second)}}
		if push != "" {
			p.PushConfig = &pubsubpb.PushConfig{PushEndpoint: s.base + "/" + push}
		}
		must(s.client.SubscriptionAdminClient.CreateSubscription(ctx, p))(s.t)
	}
	make("onceway-dead-letters", "Letters")
	make("relay-events", "Relay")
	make("campaign-events", "Campaigns")
	make("campaigns-overflow", "")
	for _, g := range groupIDs {
		for _, q := range queueNames {
			make(g+"-"+q, "")
		}
	}
}

func (s *stack) publish(to, data string, attributes map[string]string) {
	s.t.Helper()
	p := s.client.Publisher(topic(to))
	defer p.Stop()
	must(p.Publish(s.t.Context(), &pubsub.Message{Data: []byte(data), Attributes: attributes}).Get(s.t.Context()))(s.t)
}

// work lets the groups' workers work, and Score run, until the test ends.
func (s *stack) work() {
	s.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	ledger := witness.NewLedger(time.Now)
	for _, g := range groupIDs {
		var stages []witness.Stage
		for _, q := range queueNames {
			stages = append(stages, witness.Stage{Topic: topic(g + "-" + q), Subscription: sub(g + "-" + q), Rate: rates[g]})
		}
		line := must(witness.NewPipeline(g, s.client, ledger, stages))(s.t)
		all.Go(func() { _ = line.Run(ctx) })
		s.publish(g+"-"+queueNames[0], "warm-up", map[string]string{"onceway-key": witness.WarmUp + g})
	}
	all.Go(func() {
		tick := time.NewTicker(scorePace)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if resp, err := http.Post(s.base+"/Score", "", nil); err == nil {
					_ = resp.Body.Close()
				}
			}
		}
	})
	s.t.Cleanup(func() { stop(); all.Wait() })
}

// parked publishes an event that parks, and answers with its claim's ID.
func (s *stack) parked(name string) (id string) {
	s.t.Helper()
	s.publish("relay-events", name, map[string]string{"onceway-key": name})
	s.until("claim of "+name+" is parked, its letter stored", func() bool {
		for _, c := range s.claims("INDETERMINATE") {
			if c.Key == name && s.claim(c.ID).Letter != "" {
				id = c.ID
			}
		}
		return id != ""
	})
	return id
}

// poisoned publishes what no handler can read, and answers with its letter's ID.
func (s *stack) poisoned(name string) (id string) {
	s.t.Helper()
	s.publish("campaign-events", "no campaign: "+name, map[string]string{"onceway-key": name})
	s.until("letter of "+name+" is stored", func() bool {
		for _, l := range s.letters() {
			if l.Key == name {
				id = l.ID
			}
		}
		return id != ""
	})
	return id
}

func (s *stack) until(what string, ok func() bool) {
	s.t.Helper()
	wait.Until(s.t, eventual, what, ok)
}
