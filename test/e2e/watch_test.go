//go:build emulators

package e2e

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/test/servers"
	"onceway.internal/test/witness"
)

// watchLetters records the dead letters until the test ends.
func (b *bench) watchLetters() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- witness.WatchLetters(ctx, b.client, b.sub("witness"), b.ledger) }()
	b.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			b.t.Error(err)
		}
	})
}

// warmth makes warm work once.
var warmth sync.Once

// warm has the Firestore emulator compile its code: the first writes take seconds.
func warm(t *testing.T) {
	t.Helper()
	warmth.Do(func() {
		conn, err := grpc.NewClient(servers.Firestore(t), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		client, err := firestore.NewClient(t.Context(), project, option.WithGRPCConn(conn))
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		for i := range 200 {
			if _, err := client.Collection("warm").Doc(strconv.Itoa(i)).Create(t.Context(), map[string]int{"n": i}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// teardown outlives the test's own context, which ends before its clean-up.
func teardown(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// holder holds the first request after its effect, until it is released.
type holder struct {
	inHand  chan string
	release chan struct{}
}

func newHolder() *holder { return &holder{inHand: make(chan string, 1), release: make(chan struct{})} }

func (h *holder) hold(event string, ended <-chan struct{}) {
	select {
	case h.inHand <- event:
	default:
		return // not the first
	}
	select {
	case <-ended:
	case <-h.release:
	}
}
