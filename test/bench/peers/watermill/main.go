// Command watermill runs events once through Watermill's deduplicator, in memory
// and with its SHA-256 hasher, by the orders of the bench "peers".
package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"

	"onceway.internal/test/bench/peers/load"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "watermill:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	// Its documentation's repository, with a window that outlasts the bench.
	seen, err := middleware.NewMapExpiringKeyRepository(time.Hour)
	if err != nil {
		return err
	}
	d := middleware.Deduplicator{KeyFactory: middleware.NewMessageHasherSHA256(math.MaxInt64), Repository: seen, Timeout: time.Minute}
	effect := &load.Effect{}
	handler := d.Middleware(func(m *message.Message) ([]*message.Message, error) {
		effect.Run(m.Metadata.Get("key"))
		return nil, nil
	})
	return load.Serve(ctx, load.Side{
		Effect: effect, Silent: true,
		Call: func(ctx context.Context, e load.Event) ([]byte, error) {
			m := message.NewMessageWithContext(ctx, watermill.NewUUID(), e.Data)
			m.Metadata.Set("key", e.Key)
			_, err := handler(m)
			return nil, err
		},
	}, os.Stdin, os.Stdout)
}
