package local

import (
	"net/url"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Bounds and defaults of the service.
const (
	defaultMinBackoff = 10 * time.Second
	maxBackoff        = 600 * time.Second
	minAttempts       = 5
	maxAttempts       = 100
	maxRetention      = 31 * 24 * time.Hour
)

// settle refuses what the service refuses or this broker lacks, and fills in defaults.
func (s *Server) settle(sub *pubsubpb.Subscription) error {
	switch {
	case sub.EnableMessageOrdering:
		return status.Error(codes.Unimplemented, "message ordering is not offered by the local Pub/Sub")
	case sub.EnableExactlyOnceDelivery:
		return status.Error(codes.Unimplemented, "exactly-once delivery is not offered by the local Pub/Sub")
	case sub.Filter != "":
		return status.Error(codes.Unimplemented, "filters are not offered by the local Pub/Sub")
	case sub.GetPushConfig().GetNoWrapper() != nil:
		return status.Error(codes.Unimplemented, "unwrapped push is not offered by the local Pub/Sub")
	}
	if d := sub.MessageRetentionDuration.AsDuration(); d > maxRetention {
		return status.Errorf(codes.InvalidArgument, "retention %v is over %v", d, maxRetention)
	}
	if err := s.settleDeadline(sub); err != nil {
		return err
	}
	if err := settlePush(sub.PushConfig); err != nil {
		return err
	}
	if err := settleRetry(sub.RetryPolicy); err != nil {
		return err
	}
	return settleDeadLetter(sub.DeadLetterPolicy)
}

func (s *Server) settleDeadline(sub *pubsubpb.Subscription) error {
	if sub.AckDeadlineSeconds == 0 {
		sub.AckDeadlineSeconds = int32(max(10*time.Second, s.config.MinAckDeadline) / time.Second)
	}
	if d := time.Duration(sub.AckDeadlineSeconds) * time.Second; d < s.config.MinAckDeadline || d > maxAckDeadline {
		return status.Errorf(codes.InvalidArgument, "acknowledgement deadline %v is not %v to %v", d, s.config.MinAckDeadline, maxAckDeadline)
	}
	return nil
}

func settlePush(p *pubsubpb.PushConfig) error {
	if p.GetPushEndpoint() == "" {
		return nil
	}
	u, err := url.Parse(p.PushEndpoint)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return status.Errorf(codes.InvalidArgument, "push endpoint %q is not an http or https URL", p.PushEndpoint)
	}
	return nil
}

func settleRetry(p *pubsubpb.RetryPolicy) error {
	if p == nil {
		return nil
	}
	if p.MinimumBackoff == nil {
		p.MinimumBackoff = durationpb.New(defaultMinBackoff)
	}
	if p.MaximumBackoff == nil {
		p.MaximumBackoff = durationpb.New(maxBackoff)
	}
	low, high := p.MinimumBackoff.AsDuration(), p.MaximumBackoff.AsDuration()
	if low < 0 || low > high || high > maxBackoff {
		return status.Errorf(codes.InvalidArgument, "retry back-off %v to %v is not within 0 to %v", low, high, maxBackoff)
	}
	return nil
}

func settleDeadLetter(p *pubsubpb.DeadLetterPolicy) error {
	if p == nil {
		return nil
	}
	if p.MaxDeliveryAttempts == 0 {
		p.MaxDeliveryAttempts = minAttempts
	}
	if p.MaxDeliveryAttempts < minAttempts || p.MaxDeliveryAttempts > maxAttempts {
		return status.Errorf(codes.InvalidArgument, "%d delivery attempts are not %d to %d", p.MaxDeliveryAttempts, minAttempts, maxAttempts)
	}
	return nil
}
