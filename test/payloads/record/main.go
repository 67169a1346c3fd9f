// Command record captures what a Pub/Sub emulator really pushes and keeps it as
// golden requests in test/payloads/push/emulator-*.http. Run it by hand when the
// emulator changes, from the root of the module:
//
//	PUBSUB_EMULATOR_HOST=127.0.0.1:8085 go run ./test/payloads/record
//
// It normalises only what differs from run to run: the host and the times.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
)

const (
	project  = "demo-project"
	dir      = "test/payloads/push"
	patience = 30 * time.Second
)

func main() {
	if err := realMain(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func realMain(ctx context.Context) error {
	if os.Getenv("PUBSUB_EMULATOR_HOST") == "" {
		return errors.New("PUBSUB_EMULATOR_HOST: needed, this never runs against the cloud")
	}
	client, err := pubsub.NewClient(ctx, project)
	if err != nil {
		return fmt.Errorf("connect to the emulator: %w", err)
	}
	defer client.Close()

	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	seen := make(chan []byte, 64)
	srv := &http.Server{Handler: capture(seen), ReadHeaderTimeout: patience}
	go func() { _ = srv.Serve(lis) }()
	defer srv.Close()

	for _, form := range forms {
		for _, msg := range messages {
			name := fmt.Sprintf("emulator-%s-%s", form.name, msg.name)
			raw, err := deliver(ctx, client, name, "http://"+lis.Addr().String(), form.config, msg.message, seen)
			if err != nil {
				return fmt.Errorf("record %s: %w", name, err)
			}
			if err := os.WriteFile(filepath.Join(dir, name+".http"), raw, 0o644); err != nil {
				return err
			}
			fmt.Println(name)
		}
	}
	return nil
}

// deliver makes a topic and a push subscription of their own, so that what
// arrives is this message; both go again, since a failing push never ends.
func deliver(ctx context.Context, client *pubsub.Client, name, url string, config pushConfig, msg pubsub.Message, seen <-chan []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	topic := fmt.Sprintf("projects/%s/topics/%s", project, name)
	sub := fmt.Sprintf("projects/%s/subscriptions/%s", project, name)
	if _, err := client.TopicAdminClient.CreateTopic(ctx, &pubsubpb.Topic{Name: topic}); err != nil {
		return nil, fmt.Errorf("create topic: %w", err)
	}
	defer func() {
		_ = client.TopicAdminClient.DeleteTopic(context.WithoutCancel(ctx), &pubsubpb.DeleteTopicRequest{Topic: topic})
	}()
	_, err := client.SubscriptionAdminClient.CreateSubscription(ctx, &pubsubpb.Subscription{
		Name: sub, Topic: topic, PushConfig: config(url), EnableMessageOrdering: msg.OrderingKey != "",
	})
	if err != nil {
		return nil, fmt.Errorf("create subscription: %w", err)
	}
	defer func() {
		_ = client.SubscriptionAdminClient.DeleteSubscription(context.WithoutCancel(ctx), &pubsubpb.DeleteSubscriptionRequest{Subscription: sub})
	}()

	pub := client.Publisher(topic)
	pub.EnableMessageOrdering = msg.OrderingKey != ""
	defer pub.Stop()
	if _, err := pub.Publish(ctx, &msg).Get(ctx); err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	select {
	case raw := <-seen:
		return raw, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the push: %w", ctx.Err())
	}
}
