package local

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

// pullWait is how long an empty Pull waits for a message.
const pullWait = 5 * time.Second

// Pull waits a while for messages unless it is asked not to; its answer may be empty.
func (s *Server) Pull(ctx context.Context, req *pubsubpb.PullRequest) (*pubsubpb.PullResponse, error) {
	q, err := s.pullQueue(req.GetSubscription())
	if err != nil {
		return nil, err
	}
	if req.MaxMessages < 1 {
		return nil, status.Errorf(codes.InvalidArgument, "max_messages is %d, want 1 or more", req.MaxMessages)
	}
	wait := pullWait
	//nolint:staticcheck // deprecated for clients, but they may still send it
	if req.ReturnImmediately {
		wait = 0
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	unlimited := &holder{limit: int(req.MaxMessages)}
	return &pubsubpb.PullResponse{ReceivedMessages: q.next(ctx, unlimited, int(req.MaxMessages), 0, false)}, nil
}

// StreamingPull delivers until the client or the broker ends the stream. What the
// client holds at that moment comes again when its lease is over.
func (s *Server) StreamingPull(stream pubsubpb.Subscriber_StreamingPullServer) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	q, err := s.pullQueue(first.GetSubscription())
	if err != nil {
		return err
	}
	h := &holder{limit: 1000}
	if n := first.GetMaxOutstandingMessages(); n > 0 {
		h.limit = int(n)
	}
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	p := &puller{queue: q, stream: stream, lease: seconds(first.GetStreamAckDeadlineSeconds())}
	received := make(chan error, 1)
	go func() {
		received <- p.receive()
		cancel()
	}()
	for ctx.Err() == nil {
		messages := q.next(ctx, h, batch, p.leaseTime(), false)
		if messages == nil {
			break
		}
		if err := p.send(&pubsubpb.StreamingPullResponse{ReceivedMessages: messages}); err != nil {
			return err
		}
	}
	select {
	case err := <-received:
		return err
	case <-q.gone:
		return noSubscription(first.Subscription)
	}
}

// puller is one open stream.
type puller struct {
	queue  *queue
	stream pubsubpb.Subscriber_StreamingPullServer
	sendMu sync.Mutex

	leaseMu sync.Mutex
	lease   time.Duration
}

// receive handles acknowledgements and keep-alives until the client ends its side.
func (p *puller) receive() error {
	for {
		req, err := p.stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		for _, id := range req.AckIds {
			p.queue.ack(id)
		}
		for i, id := range req.ModifyDeadlineAckIds {
			if i < len(req.ModifyDeadlineSeconds) {
				p.queue.modify(id, seconds(req.ModifyDeadlineSeconds[i]))
			}
		}
		if d := seconds(req.StreamAckDeadlineSeconds); d > 0 {
			p.leaseMu.Lock()
			p.lease = d
			p.leaseMu.Unlock()
		}
		if len(req.AckIds) == 0 && len(req.ModifyDeadlineAckIds) == 0 {
			if err := p.send(&pubsubpb.StreamingPullResponse{}); err != nil { // the client measures the stream's health by this
				return err
			}
		}
	}
}

func (p *puller) send(r *pubsubpb.StreamingPullResponse) error {
	p.sendMu.Lock()
	defer p.sendMu.Unlock()
	return p.stream.Send(r)
}

func (p *puller) leaseTime() time.Duration {
	p.leaseMu.Lock()
	defer p.leaseMu.Unlock()
	return p.lease
}

// Acknowledge ignores ack IDs whose lease is over, as the service does.
func (s *Server) Acknowledge(_ context.Context, req *pubsubpb.AcknowledgeRequest) (*emptypb.Empty, error) {
	q, err := s.queue(req.GetSubscription())
	if err != nil {
		return nil, err
	}
	for _, id := range req.AckIds {
		q.ack(id)
	}
	return &emptypb.Empty{}, nil
}

// ModifyAckDeadline with zero seconds is a nack.
func (s *Server) ModifyAckDeadline(_ context.Context, req *pubsubpb.ModifyAckDeadlineRequest) (*emptypb.Empty, error) {
	q, err := s.queue(req.GetSubscription())
	if err != nil {
		return nil, err
	}
	for _, id := range req.AckIds {
		q.modify(id, seconds(req.AckDeadlineSeconds))
	}
	return &emptypb.Empty{}, nil
}

func (s *Server) pullQueue(name string) (*queue, error) {
	q, err := s.queue(name)
	if err != nil {
		return nil, err
	}
	if q.settings().GetPushConfig().GetPushEndpoint() != "" {
		return nil, status.Errorf(codes.FailedPrecondition, "subscription %q pushes", name)
	}
	return q, nil
}

func seconds(n int32) time.Duration { return time.Duration(n) * time.Second }
