package local

import (
	"context"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

// CreateSubscription starts pushing at once when the subscription has an endpoint.
func (s *Server) CreateSubscription(_ context.Context, sub *pubsubpb.Subscription) (*pubsubpb.Subscription, error) {
	if !validName(sub.GetName(), "subscriptions") {
		return nil, status.Errorf(codes.InvalidArgument, "subscription name %q is not projects/P/subscriptions/S", sub.GetName())
	}
	sub = clone(sub)
	if err := s.settle(sub); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queues[sub.Name] != nil {
		return nil, status.Errorf(codes.AlreadyExists, "subscription %q exists", sub.Name)
	}
	t := s.topics[sub.Topic]
	if t == nil {
		return nil, noTopic(sub.Topic)
	}
	if p := sub.DeadLetterPolicy; p != nil && s.topics[p.DeadLetterTopic] == nil {
		return nil, noTopic(p.DeadLetterTopic)
	}
	q := newQueue(s, sub)
	s.queues[sub.Name], t.queues[sub.Name] = q, q
	s.running.Go(func() { q.push(s.stopped) })
	return clone(sub), nil
}

// GetSubscription answers NotFound for a subscription that was not created.
func (s *Server) GetSubscription(_ context.Context, req *pubsubpb.GetSubscriptionRequest) (*pubsubpb.Subscription, error) {
	q, err := s.queue(req.GetSubscription())
	if err != nil {
		return nil, err
	}
	return clone(q.settings()), nil
}

// UpdateSubscription changes the named fields, from the next delivery on.
func (s *Server) UpdateSubscription(_ context.Context, req *pubsubpb.UpdateSubscriptionRequest) (*pubsubpb.Subscription, error) {
	q, err := s.queue(req.GetSubscription().GetName())
	if err != nil {
		return nil, err
	}
	from, to := req.Subscription, clone(q.settings())
	for _, path := range req.GetUpdateMask().GetPaths() {
		switch path {
		case "push_config":
			to.PushConfig = from.PushConfig
		case "ack_deadline_seconds":
			to.AckDeadlineSeconds = from.AckDeadlineSeconds
		case "retry_policy":
			to.RetryPolicy = from.RetryPolicy
		case "dead_letter_policy":
			to.DeadLetterPolicy = from.DeadLetterPolicy
		case "expiration_policy":
			to.ExpirationPolicy = from.ExpirationPolicy
		case "message_retention_duration":
			to.MessageRetentionDuration = from.MessageRetentionDuration
		case "labels":
			to.Labels = from.Labels
		default:
			return nil, status.Errorf(codes.InvalidArgument, "field %q can't be updated", path)
		}
	}
	if err := s.settle(to); err != nil {
		return nil, err
	}
	q.configure(to)
	return clone(to), nil
}

// ModifyPushConfig turns push on, off or elsewhere.
func (s *Server) ModifyPushConfig(_ context.Context, req *pubsubpb.ModifyPushConfigRequest) (*emptypb.Empty, error) {
	q, err := s.queue(req.GetSubscription())
	if err != nil {
		return nil, err
	}
	to := clone(q.settings())
	to.PushConfig = req.GetPushConfig()
	if err := s.settle(to); err != nil {
		return nil, err
	}
	q.configure(to)
	return &emptypb.Empty{}, nil
}

// ListSubscriptions answers with all subscriptions of a project on one page.
func (s *Server) ListSubscriptions(_ context.Context, req *pubsubpb.ListSubscriptionsRequest) (*pubsubpb.ListSubscriptionsResponse, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	res := &pubsubpb.ListSubscriptionsResponse{}
	for _, name := range sortedUnder(s.queues, req.GetProject()) {
		res.Subscriptions = append(res.Subscriptions, clone(s.queues[name].settings()))
	}
	return res, nil
}

// DeleteSubscription drops what the subscription holds and ends its streams and pushes.
func (s *Server) DeleteSubscription(_ context.Context, req *pubsubpb.DeleteSubscriptionRequest) (*emptypb.Empty, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.queues[req.GetSubscription()]
	if q == nil {
		return nil, noSubscription(req.GetSubscription())
	}
	delete(s.queues, req.Subscription)
	if t := s.topics[q.settings().Topic]; t != nil {
		delete(t.queues, req.Subscription)
	}
	q.delete()
	return &emptypb.Empty{}, nil
}

func (s *Server) queue(name string) (*queue, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if q := s.queues[name]; q != nil {
		return q, nil
	}
	return nil, noSubscription(name)
}

func noSubscription(name string) error {
	return status.Errorf(codes.NotFound, "subscription %q does not exist", name)
}

const maxAckDeadline = 600 * time.Second
