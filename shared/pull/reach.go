package pull

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const defaultProbe = 10 * time.Second

// watch asks Pub/Sub for an answer until ctx ends, and says when that changes. The
// client itself tries again for ever and says nothing.
func (c Config) watch(ctx context.Context) {
	every := c.Probe
	if every == 0 {
		every = defaultProbe
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	known, reached := false, true
	for {
		err := c.probe(ctx, every)
		if ctx.Err() != nil {
			return
		}
		if yes := err == nil; !known || yes != reached {
			if c.Reached != nil {
				c.Reached(yes)
			}
			switch {
			case !yes:
				c.Log.ErrorContext(ctx, "Pub/Sub can't be reached: pulling goes on as soon as it can", "subscription", c.Subscription, "error", err.Error())
			case known:
				c.Log.InfoContext(ctx, "Pub/Sub is reached again", "subscription", c.Subscription)
			}
			known, reached = true, yes
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// probe makes a call that changes nothing and needs no right that pulling doesn't. That
// it names no message is usually refused, which is an answer too.
func (c Config) probe(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	err := c.Client.SubscriptionAdminClient.ModifyAckDeadline(ctx, &pubsubpb.ModifyAckDeadlineRequest{
		Subscription: c.Subscription, AckDeadlineSeconds: 10,
	})
	away := errors.Is(err, context.DeadlineExceeded) // between the client's own tries
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		away = true
	}
	if away {
		return fmt.Errorf("no answer within %v: %w", within, err)
	}
	return nil
}

// explain says what to do about an error that ends pulling.
func (c Config) explain(err error) error {
	if err == nil {
		return nil
	}
	advice := ""
	switch status.Code(err) {
	case codes.NotFound:
		advice = ": create the subscription (scripts/provision) or correct ONCEWAY_SUBSCRIPTIONS"
	case codes.PermissionDenied, codes.Unauthenticated:
		advice = ": give this process's account roles/pubsub.subscriber on the subscription"
	}
	return fmt.Errorf("pull %s: %w%s", c.Subscription, err, advice)
}
