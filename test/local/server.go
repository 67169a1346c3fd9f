package local

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc"
)

// maxMessage is the most that a gRPC request may hold: Pub/Sub's 10 MB and room for its envelope.
const maxMessage = 11 << 20

// Config says how the broker behaves. The zero value redelivers nothing.
type Config struct {
	// Redeliver answers with the share of messages, 0 to 1, that a subscription
	// delivers once more under the same ID: half of them beside the first delivery,
	// half after its acknowledgement. nil means none. Called once for each message
	// and subscription, concurrently.
	Redeliver func(subscription string) float64
	// PushConcurrency bounds the push requests in flight per subscription; default 32.
	PushConcurrency int
	// MinAckDeadline is the shortest acknowledgement deadline that is accepted; default 10 s as in the service.
	MinAckDeadline time.Duration
	// Seed makes the choice of redelivered messages repeatable.
	Seed uint64
}

func (c Config) validate() error {
	var errs []error
	if c.PushConcurrency < 0 {
		errs = append(errs, fmt.Errorf("PushConcurrency is %d, want 0 or more", c.PushConcurrency))
	}
	if c.MinAckDeadline < 0 || c.MinAckDeadline > maxAckDeadline {
		errs = append(errs, fmt.Errorf("MinAckDeadline is %v, want 0 to %v", c.MinAckDeadline, maxAckDeadline))
	}
	return errors.Join(errs...)
}

// Server is a running broker. Its methods are safe for concurrent use.
type Server struct {
	pubsubpb.UnimplementedPublisherServer
	pubsubpb.UnimplementedSubscriberServer

	config   Config
	listener net.Listener
	grpc     *grpc.Server
	client   *http.Client // pushes

	stop    context.CancelFunc
	stopped context.Context
	running sync.WaitGroup

	mu     sync.RWMutex
	topics map[string]*topic
	queues map[string]*queue
	nextID int64

	randMu sync.Mutex
	rand   *rand.Rand
}

// Start serves the broker on a free loopback port until Close.
func Start(config Config) (*Server, error) {
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("configure the local Pub/Sub: %w", err)
	}
	if config.PushConcurrency == 0 {
		config.PushConcurrency = 32
	}
	if config.MinAckDeadline == 0 {
		config.MinAckDeadline = 10 * time.Second
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the local Pub/Sub: %w", err)
	}
	stopped, stop := context.WithCancel(context.Background())
	s := &Server{
		config:   config,
		listener: listener,
		grpc:     grpc.NewServer(grpc.WaitForHandlers(true), grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage)),
		client:   pushClient(config.PushConcurrency),
		stop:     stop,
		stopped:  stopped,
		topics:   map[string]*topic{},
		queues:   map[string]*queue{},
		nextID:   8_000_000_000_000_000,
		rand:     seeded(config.Seed),
	}
	pubsubpb.RegisterPublisherServer(s.grpc, s)
	pubsubpb.RegisterSubscriberServer(s.grpc, s)
	s.running.Go(func() { _ = s.grpc.Serve(listener) }) // ends with Close; the listener is loopback and ours
	return s, nil
}

// Addr is where the gRPC API listens: what PUBSUB_EMULATOR_HOST holds.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Close ends every stream and push, and returns when nothing runs any more.
// Messages that were not acknowledged are gone.
func (s *Server) Close() {
	s.stop()
	s.grpc.Stop()
	s.running.Wait()
	s.client.CloseIdleConnections()
}

// draw reports true for the given share of calls.
func (s *Server) draw(share float64) bool {
	s.randMu.Lock()
	defer s.randMu.Unlock()
	return s.rand.Float64() < share
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }
