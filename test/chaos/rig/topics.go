package rig

import (
	"context"
	"fmt"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
)

// ackDeadline is the shortest there is, so that a killed worker's messages come back soon.
const ackDeadline = 10 // seconds

// provision makes the topics with their subscriptions. There is no retry policy: with
// one, Google's emulator never again delivers some of what was not acknowledged by a
// client that was killed.
func (r *Rig) provision(ctx context.Context) error {
	for _, of := range []string{dead, AtMostOnce.kind(), AtLeastOnce.kind()} {
		topic, name := r.setup.topic(of), r.setup.subscription(of)
		if _, err := r.client.TopicAdminClient.CreateTopic(ctx, &pubsubpb.Topic{Name: topic}); err != nil {
			return fmt.Errorf("create topic %s: %w", topic, err)
		}
		sub := &pubsubpb.Subscription{Name: name, Topic: topic, AckDeadlineSeconds: ackDeadline}
		if _, err := r.client.SubscriptionAdminClient.CreateSubscription(ctx, sub); err != nil {
			return fmt.Errorf("create subscription %s: %w", name, err)
		}
	}
	return nil
}
