package witness

import (
	"context"
	"fmt"

	"cloud.google.com/go/pubsub/v2"
)

// forwarded is told of letters that bring no reason: Pub/Sub's own policy gave them up.
const forwarded = "forwarded"

// WatchLetters takes everything from a dead-letter subscription of the witness's own
// and records it, until ctx ends, which is no error.
func WatchLetters(ctx context.Context, client *pubsub.Client, subscription string, ledger *Ledger) error {
	err := client.Subscriber(subscription).Receive(ctx, func(_ context.Context, m *pubsub.Message) {
		reason := m.Attributes[reasonAttribute]
		if reason == "" {
			reason = forwarded
		}
		ledger.Letter(Identify(m.Attributes[keyAttribute], string(m.Data)), reason)
		m.Ack()
	})
	if err != nil {
		return fmt.Errorf("pull %s: %w", subscription, err)
	}
	return nil
}
