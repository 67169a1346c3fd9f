//go:build emulators

package firestoreclaim_test

import (
	"context"
	"sync"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/shared/claim/firestoreclaim"
	"onceway.internal/test/servers"
)

// wiretap counts the RPCs that leave a client, by method, and can answer in the
// place of the server.
type wiretap struct {
	mu    sync.Mutex
	calls map[string]int
	// after, if set, sees each unary call's answer and may replace its error.
	after func(method string, err error) error
}

func (w *wiretap) count(method string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.calls == nil {
		w.calls = map[string]int{}
	}
	w.calls[method]++
}

// take returns the counts so far and begins again.
func (w *wiretap) take() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	calls := w.calls
	w.calls = nil
	return calls
}

func (w *wiretap) options() []grpc.DialOption {
	unary := func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		w.count(method)
		err := call(ctx, method, req, reply, cc, opts...)
		if w.after != nil {
			err = w.after(method, err)
		}
		return err
	}
	stream := func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		w.count(method)
		return open(ctx, desc, cc, method, opts...)
	}
	return []grpc.DialOption{grpc.WithUnaryInterceptor(unary), grpc.WithStreamInterceptor(stream)}
}

// connect returns a client on a connection of its own. It doesn't use
// FIRESTORE_EMULATOR_HOST, with which the client would make its own.
func connect(t *testing.T, w *wiretap) *firestore.Client {
	t.Helper()
	opts := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	if w != nil {
		opts = append(opts, w.options()...)
	}
	conn, err := grpc.NewClient(servers.Firestore(t), opts...)
	if err != nil {
		t.Fatal(err)
	}
	client, err := firestore.NewClient(context.Background(), "demo-project", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func open(t *testing.T, client *firestore.Client, space string) *firestoreclaim.Store {
	t.Helper()
	s, err := firestoreclaim.New(client, space+"-")
	if err != nil {
		t.Fatal(err)
	}
	return s
}
