package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/logging"
	"onceway.internal/shared/once"
	"onceway.internal/shared/pull"
)

const (
	pullGoal   = 0.9
	pullRounds = 8
	// pullRate is about what one stream of the emulator delivers in a second: by it
	// the messages of a turn are counted.
	pullRate = 1500
)

// pulling compares, with as many messages at once as is the worker's default and with
// many more, the worker's loop and runner under memory claims with a bare
// Subscriber.Receive that acknowledges, both over one stream.
func pulling(ctx context.Context, e *env) ([]figure, error) {
	server, err := e.pubsub(ctx)
	if err != nil {
		return nil, err
	}
	client, err := pubsub.NewClient(ctx, project, option.WithEndpoint(server.Addr), option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())), option.WithTelemetryDisabled())
	if err != nil {
		return nil, fmt.Errorf("connect to the Pub/Sub emulator: %w", err)
	}
	defer func() { _ = client.Close() }()
	var figures []figure
	for _, outstanding := range []int{4, 64} {
		f, err := comparePull(ctx, client, outstanding, e.budget/2)
		if err != nil {
			return nil, fmt.Errorf("%d at once: %w", outstanding, err)
		}
		figures = append(figures, f)
	}
	return figures, nil
}

func comparePull(ctx context.Context, client *pubsub.Client, outstanding int, budget time.Duration) (figure, error) {
	topic := fmt.Sprintf("bench-%d", outstanding)
	if _, err := client.TopicAdminClient.CreateTopic(ctx, &pubsubpb.Topic{Name: "projects/" + project + "/topics/" + topic}); err != nil {
		return figure{}, err
	}
	mem, err := memclaim.New(100_000, time.Now)
	if err != nil {
		return figure{}, err
	}
	runner, err := newRunner(mem, outstanding)
	if err != nil {
		return figure{}, err
	}
	ours := func(ctx context.Context, subscription string, done func()) error {
		return pull.Run(ctx, pull.Config{
			Client: client, Subscription: subscription, Receiver: told{runner.Bind(idle{}), done}, Log: logging.New(io.Discard, project),
			Outstanding: outstanding, AckTimeout: 5 * time.Second, Hold: time.Minute, Extension: 5 * time.Minute,
		})
	}
	bare := func(ctx context.Context, subscription string, done func()) error {
		s := client.Subscriber(subscription)
		s.ReceiveSettings.MaxOutstandingMessages, s.ReceiveSettings.NumGoroutines = outstanding, 1
		return s.Receive(ctx, func(_ context.Context, m *pubsub.Message) { m.Ack(); done() })
	}
	q := queue{client, topic}
	rounds, err := alternate(ctx, budget, pullRounds, q.side("worker", ours), q.side("bare", bare))
	if err != nil {
		return figure{}, err
	}
	return figure{
		Name: fmt.Sprintf("pull/%d", outstanding), Goal: pullGoal, Ratio: faster(rounds[0], rounds[1]),
		Says: compare(rounds[0], rounds[1], "messages", "bare Receive"),
	}, nil
}

// told tells of every delivery that was done.
type told struct {
	once.Receiver
	done func()
}

func (t told) Receive(ctx context.Context, m *envelope.Message) once.Report {
	rep := t.Receiver.Receive(ctx, m)
	if rep.Outcome == once.Done {
		t.done()
	}
	return rep
}

// queue is a topic of the bench.
type queue struct {
	client *pubsub.Client
	topic  string
}

// side empties, in each turn, a subscription that was filled before: so many messages
// as a turn is long. Only the emptying is timed.
func (q queue) side(name string, receive func(ctx context.Context, subscription string, done func()) error) side {
	turns := 0
	return side{name, func(ctx context.Context, d time.Duration) (round, error) {
		turns++
		wanted := int64(max(d.Seconds()*pullRate, 50))
		subscription, err := q.filled(ctx, fmt.Sprintf("%s-%s-%d", q.topic, name, turns), wanted)
		if err != nil {
			return round{}, err
		}
		ctx, cancel := context.WithTimeout(ctx, startLimit+2*d)
		defer cancel()
		var got, last atomic.Int64
		before, began := mallocs(), time.Now()
		err = receive(ctx, subscription, func() {
			last.Store(int64(time.Since(began)))
			if got.Add(1) == wanted {
				cancel()
			}
		})
		if n := got.Load(); err == nil && n < wanted {
			err = fmt.Errorf("%d of %d messages came", n, wanted)
		}
		r := round{Count: int(wanted), Took: time.Duration(last.Load()), Allocs: mallocs() - before}
		return r, errors.Join(err, q.gone(context.WithoutCancel(ctx), subscription))
	}}
}

// filled makes a subscription and publishes n messages to it.
func (q queue) filled(ctx context.Context, name string, n int64) (subscription string, err error) {
	full := "projects/" + project + "/subscriptions/" + name
	if _, err := q.client.SubscriptionAdminClient.CreateSubscription(ctx, &pubsubpb.Subscription{
		Name: full, Topic: "projects/" + project + "/topics/" + q.topic, AckDeadlineSeconds: 60,
	}); err != nil {
		return "", err
	}
	p := q.client.Publisher(q.topic)
	defer p.Stop()
	var wait sync.WaitGroup
	failed := make(chan error, n)
	for range n {
		r := p.Publish(ctx, &pubsub.Message{Data: []byte(body), Attributes: map[string]string{"kind": "order"}})
		wait.Go(func() {
			if _, err := r.Get(ctx); err != nil {
				failed <- err
			}
		})
	}
	wait.Wait()
	close(failed)
	return full, <-failed
}

func (q queue) gone(ctx context.Context, subscription string) error {
	return q.client.SubscriptionAdminClient.DeleteSubscription(ctx, &pubsubpb.DeleteSubscriptionRequest{Subscription: subscription})
}
