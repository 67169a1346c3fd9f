package main

import (
	"context"
	"fmt"

	"cloud.google.com/go/pubsub/v2"
	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/protobuf/types/known/durationpb"
)

// provisioner makes topics and subscriptions; its first error stays.
type provisioner struct {
	ctx    context.Context
	config config
	client *pubsub.Client
	err    error
}

// provision makes everything that the functions need before anything is published:
// a message on a topic without a subscription is gone.
func (c config) provision(ctx context.Context, client *pubsub.Client, endpoint func(function string) string) error {
	p := &provisioner{ctx: ctx, config: c, client: client}
	for _, name := range []string{deadTopic, chatTopic, campaignTopic, relayTopic, jobTopic, overflowTopic} {
		p.topic(name)
	}
	p.sub(witnessSub, deadTopic, "", false)
	p.sub(lettersSub, deadTopic, endpoint("Letters"), false)
	p.sub(overflowSub, overflowTopic, "", false)
	for topic, function := range pushed {
		p.sub(topic+pushSubscribed, topic, endpoint(function), true)
	}
	p.sub(jobSub, jobTopic, "", true)
	for _, g := range c.groups {
		for _, name := range queueNames {
			p.topic(queue(g, name))
			p.sub(queue(g, name), queue(g, name), "", false)
		}
	}
	return p.err
}

func (p *provisioner) topic(name string) {
	if p.err != nil {
		return
	}
	if _, err := p.client.TopicAdminClient.CreateTopic(p.ctx, &pubsubpb.Topic{Name: p.config.topic(name)}); err != nil {
		p.err = fmt.Errorf("create topic %s: %w", name, err)
	}
}

// sub makes a pull subscription, or a push subscription where endpoint is not empty;
// net puts Pub/Sub's own dead-letter policy beneath.
func (p *provisioner) sub(name, topic, endpoint string, net bool) {
	if p.err != nil {
		return
	}
	t := p.config.times
	sub := &pubsubpb.Subscription{
		Name: p.config.sub(name), Topic: p.config.topic(topic), AckDeadlineSeconds: int32(t.ackDeadline.Seconds()),
		RetryPolicy: &pubsubpb.RetryPolicy{MinimumBackoff: durationpb.New(t.minBackoff), MaximumBackoff: durationpb.New(t.maxBackoff)},
	}
	if endpoint != "" {
		sub.PushConfig = &pubsubpb.PushConfig{PushEndpoint: endpoint}
	}
	if net {
		sub.DeadLetterPolicy = &pubsubpb.DeadLetterPolicy{DeadLetterTopic: p.config.topic(deadTopic), MaxDeliveryAttempts: 100}
	}
	if _, err := p.client.SubscriptionAdminClient.CreateSubscription(p.ctx, sub); err != nil {
		p.err = fmt.Errorf("create subscription %s: %w", name, err)
	}
}
