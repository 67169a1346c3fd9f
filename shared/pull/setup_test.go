package pull_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"go.uber.org/goleak"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"onceway.internal/shared/envelope"
	"onceway.internal/shared/once"
	"onceway.internal/shared/pull"
	"onceway.internal/test/local"
	"onceway.internal/test/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	// What Run leaves behind where Pub/Sub is away notices that its client is closed once
	// the client library's pause between two tries is over, which takes a few seconds.
	leak := errors.New("never looked")
	for began := time.Now(); leak != nil && time.Since(began) < soon; {
		leak = goleak.Find(
			// the client's: one for the process, and one that notices within ten seconds that it is over
			goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"),
			goleak.IgnoreTopFunction("cloud.google.com/go/pubsub/v2.(*messageIterator).streamKeepAliveHandler"))
	}
	if leak != nil {
		fmt.Fprintln(os.Stderr, leak)
		code = max(code, 1)
	}
	os.Exit(code)
}

const (
	topic        = "projects/demo-project/topics/events"
	subscription = "projects/demo-project/subscriptions/events"
	soon         = 20 * time.Second
)

// stage is Pub/Sub behind a wire, and one subscription that is pulled.
type stage struct {
	wire    *wire.Proxy
	publish func(data string)
	handled chan string
	reached chan bool
	log     *lines
	ended   chan error
	stop    context.CancelFunc
}

// begin pulls with a receiver that holds each delivery as long as hold says; nil is not at all.
func begin(t *testing.T, hold <-chan struct{}) *stage {
	t.Helper()
	server, err := local.Start(local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	s := &stage{
		wire: wire.New(t, server.Addr()), handled: make(chan string, 100), reached: make(chan bool, 100),
		log: &lines{}, ended: make(chan error, 1),
	}
	direct := connect(t, server.Addr())
	if _, err := direct.TopicAdminClient.CreateTopic(t.Context(), &pubsubpb.Topic{Name: topic}); err != nil {
		t.Fatal(err)
	}
	if _, err := direct.SubscriptionAdminClient.CreateSubscription(t.Context(), &pubsubpb.Subscription{Name: subscription, Topic: topic}); err != nil {
		t.Fatal(err)
	}
	s.publish = func(data string) {
		t.Helper()
		messages := []*pubsubpb.PubsubMessage{{Data: []byte(data)}}
		if _, err := direct.TopicAdminClient.Publish(t.Context(), &pubsubpb.PublishRequest{Topic: topic, Messages: messages}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	s.stop = stop
	client := connect(t, s.wire.Addr())
	go func() {
		s.ended <- pull.Run(ctx, pull.Config{
			Client: client, Subscription: subscription, Receiver: receiver{s.handled, hold}, Outstanding: 4,
			Extension: time.Minute, AckTimeout: 500 * time.Millisecond, Log: slog.New(slog.NewTextHandler(s.log, nil)),
			Reached: func(yes bool) { s.reached <- yes }, Probe: 200 * time.Millisecond,
		})
	}()
	t.Cleanup(stop)
	return s
}

func connect(t *testing.T, addr string) *pubsub.Client {
	t.Helper()
	c, err := pubsub.NewClient(context.WithoutCancel(t.Context()), "demo-project", option.WithEndpoint(addr), option.WithoutAuthentication(),
		option.WithTelemetryDisabled(), option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// await takes from the channel until want comes.
func await[T comparable](t *testing.T, what string, from <-chan T, want T) {
	t.Helper()
	for deadline := time.After(soon); ; {
		select {
		case got := <-from:
			if got == want {
				return
			}
		case <-deadline:
			t.Fatalf("%s: %v did not come within %v", what, want, soon)
		}
	}
}

type receiver struct {
	handled chan<- string
	hold    <-chan struct{}
}

func (receiver) Name() string { return "test" }

func (r receiver) Receive(_ context.Context, m *envelope.Message) once.Report {
	r.handled <- string(m.Data)
	if r.hold != nil {
		<-r.hold
	}
	return once.Report{Handler: "test", Outcome: once.Done}
}

// lines collects what is logged.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// refuser is a server that answers every call with one code.
func refuser(t *testing.T, code codes.Code) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.UnknownServiceHandler(func(any, grpc.ServerStream) error { return status.Error(code, "no") }))
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	t.Cleanup(func() { s.Stop(); <-done })
	return l.Addr().String()
}
