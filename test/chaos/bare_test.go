//go:build chaos

package chaos_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"

	"cloud.google.com/go/pubsub/v2"
)

// bare is the control: it handles events as a subscriber without claims does, posting
// each delivery and acknowledging it once the service has answered.
func bare(ctx context.Context, env func(string) string) error {
	client, err := pubsub.NewClient(ctx, env("GOOGLE_CLOUD_PROJECT"))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer client.Close()
	listener, err := net.Listen("tcp", env("ONCEWAY_WORKER_ADDRESS"))
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	go http.Serve(listener, http.NotFoundHandler()) // says that it runs
	_, subscription, _ := strings.Cut(env("ONCEWAY_SUBSCRIPTIONS"), "=")
	sub := client.Subscriber(subscription)
	sub.ReceiveSettings.MaxOutstandingMessages = 8
	return sub.Receive(ctx, func(ctx context.Context, m *pubsub.Message) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, env("ONCEWAY_RELAY_URL"), bytes.NewReader(m.Data))
		if err != nil {
			m.Nack()
			return
		}
		request.Header.Set("Idempotency-Key", m.Attributes["onceway-key"])
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			m.Nack()
			return
		}
		_ = response.Body.Close()
		m.Ack()
	})
}
