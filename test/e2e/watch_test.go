//go:build emulators

package e2e

import (
	"context"
	"sync"
	"testing"
	"time"

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

// warm comes before the first use of the Firestore emulator.
func warm(t *testing.T) {
	t.Helper()
	warmth.Do(func() {
		if err := servers.WarmFirestore(t.Context(), servers.Firestore(t), project); err != nil {
			t.Fatal(err)
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
