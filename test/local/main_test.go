package local

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"go.uber.org/goleak"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const (
	topicName = "projects/demo-project/topics/events"
	deadTopic = "projects/demo-project/topics/dead-letters"
	subName   = "projects/demo-project/subscriptions/events-push"
	deadSub   = "projects/demo-project/subscriptions/dead-letters-all"
	long      = 10 * time.Second
)

// The client library leaves goroutines behind that are not ours.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"),
		goleak.IgnoreTopFunction("cloud.google.com/go/pubsub/v2.(*messageIterator).streamKeepAliveHandler"))
}

// start runs a broker with both topics, and a client of it.
func start(t *testing.T, config Config) (*Server, *pubsub.Client) {
	t.Helper()
	if config.MinAckDeadline == 0 {
		config.MinAckDeadline = time.Second
	}
	s, err := Start(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	c := dial(t, s.Addr())
	for _, name := range []string{topicName, deadTopic} {
		if _, err := c.TopicAdminClient.CreateTopic(t.Context(), &pubsubpb.Topic{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	return s, c
}

func dial(t *testing.T, addr string) *pubsub.Client {
	t.Helper()
	c, err := pubsub.NewClient(t.Context(), "demo-project", option.WithEndpoint(addr), option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())), option.WithTelemetryDisabled())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func subscribe(t *testing.T, c *pubsub.Client, sub *pubsubpb.Subscription) {
	t.Helper()
	if sub.Topic == "" {
		sub.Topic = topicName
	}
	if _, err := c.SubscriptionAdminClient.CreateSubscription(t.Context(), sub); err != nil {
		t.Fatal(err)
	}
}

func publish(t *testing.T, c *pubsub.Client, data string, attributes map[string]string) string {
	t.Helper()
	p := c.Publisher(topicName)
	defer p.Stop()
	id, err := p.Publish(t.Context(), &pubsub.Message{Data: []byte(data), Attributes: attributes}).Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// endpoint records what is pushed to it and answers by a function.
type endpoint struct {
	*httptest.Server
	mu       sync.Mutex
	bodies   []string
	headers  []http.Header
	inFlight int
	peak     int
}

func newEndpoint(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) *endpoint {
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e.mu.Lock()
		e.bodies = append(e.bodies, string(body))
		e.headers = append(e.headers, r.Header)
		n := len(e.bodies)
		e.inFlight++
		e.peak = max(e.peak, e.inFlight)
		e.mu.Unlock()
		answer(n, w, r)
		e.mu.Lock()
		e.inFlight--
		e.mu.Unlock()
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.bodies)
}

func pushTo(e *endpoint) *pubsubpb.PushConfig { return &pubsubpb.PushConfig{PushEndpoint: e.URL} }

func ok(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }

func undelivered(s *Server) int64 {
	stats, _ := s.Stats(subName)
	return stats.Undelivered
}
