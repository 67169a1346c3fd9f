package witness

import (
	"context"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// feed is one StreamingPull of the emulator, which outlives the clients that it feeds.
// When a client dies, the service redelivers what it held after its lease; Google's
// emulator goes on for many minutes to lease messages to streams that ended, at worst
// a whole backlog. So a stream whose client is gone is kept, for the client that comes
// in its place; to the emulator it looks like one that is slow.
type feed struct {
	subscription string
	out          grpc.ClientStream
	cancel       context.CancelFunc
	frames       chan []byte // closed once the stream has ended, and err is set
	err          error
}

const (
	// adoptWithin is how long a feed waits for another client.
	adoptWithin = 15 * time.Second
	// endWithin is how long the server gets then to end the stream in order.
	endWithin = time.Second
)

// pull carries a client's StreamingPull over a feed.
func (p *PullTap) pull(in grpc.ServerStream) error {
	var first []byte
	if err := in.RecvMsg(&first); err != nil {
		return err
	}
	f, err := p.feed(in.Context(), first)
	if err != nil {
		return err
	}
	seen := p.watch(pubsubpb.Subscriber_StreamingPull_FullMethodName)
	seen.request(first)
	gone := make(chan struct{})
	go func() {
		defer close(gone) // in order or not: the client takes no more
		var frame []byte
		for in.RecvMsg(&frame) == nil {
			seen.request(frame)
			if f.out.SendMsg(frame) != nil {
				return
			}
		}
	}()
	for {
		select {
		case frame, open := <-f.frames:
			if !open {
				return f.err
			}
			seen.response(frame)
			if err := in.SendMsg(frame); err != nil {
				<-gone // it sends no more either
				p.leave(f, seen)
				return err
			}
		case <-gone:
			p.leave(f, seen)
			return nil
		}
	}
}

// feed answers with one whose client is gone, or with a new one.
func (p *PullTap) feed(ctx context.Context, first []byte) (*feed, error) {
	var r pubsubpb.StreamingPullRequest
	if err := proto.Unmarshal(first, &r); err != nil {
		return nil, err
	}
	select {
	case f := <-p.left(r.Subscription):
		return f, nil
	default:
	}
	// What a client held when it died would count for ever against its successors.
	// Clients keep to their bounds by themselves.
	r.MaxOutstandingMessages, r.MaxOutstandingBytes = 0, 0
	first, err := proto.Marshal(&r)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	out, err := p.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, pubsubpb.Subscriber_StreamingPull_FullMethodName)
	if err == nil {
		err = out.SendMsg(first)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	f := &feed{subscription: r.Subscription, out: out, cancel: cancel, frames: make(chan []byte)}
	go f.read()
	return f, nil
}

// nack answers for a client that no longer can. A broken stream shows where it is read.
func (f *feed) nack(ackIDs []string) {
	frame, err := proto.Marshal(&pubsubpb.StreamingPullRequest{ModifyDeadlineAckIds: ackIDs, ModifyDeadlineSeconds: make([]int32, len(ackIDs))})
	if err == nil {
		_ = f.out.SendMsg(frame)
	}
}

func (f *feed) read() {
	defer close(f.frames)
	for {
		var frame []byte
		if f.err = f.out.RecvMsg(&frame); f.err != nil {
			return
		}
		f.frames <- frame
	}
}

// left is where the feeds of a subscription wait whose clients are gone.
func (p *PullTap) left(subscription string) chan *feed {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.feeds[subscription] == nil {
		p.feeds[subscription] = make(chan *feed)
	}
	return p.feeds[subscription]
}

// leave offers a feed to the next client, and ends it when none comes.
func (p *PullTap) leave(f *feed, seen *call) {
	if held := p.flow.held(seen); p.hasty && len(held) > 0 {
		f.nack(held)
	}
	p.leaving.Go(func() {
		timer := time.NewTimer(adoptWithin)
		defer timer.Stop()
		select {
		case p.left(f.subscription) <- f:
			return
		case <-timer.C:
		case <-p.ended.Done():
		}
		_ = f.out.CloseSend()
		defer time.AfterFunc(endWithin, f.cancel).Stop()
		for frame := range f.frames { // until the server has ended it too
			p.refuse(f.subscription, frame)
		}
		f.cancel()
	})
}

// refuse gives back at once what came for no client, and so was never in hand.
func (p *PullTap) refuse(subscription string, frame []byte) {
	var r pubsubpb.StreamingPullResponse
	if proto.Unmarshal(frame, &r) != nil {
		return
	}
	nack := &pubsubpb.ModifyAckDeadlineRequest{Subscription: subscription}
	for _, m := range r.ReceivedMessages {
		nack.AckIds = append(nack.AckIds, m.AckId)
	}
	request, err := proto.Marshal(nack)
	if err == nil && len(nack.AckIds) > 0 {
		var reply []byte
		_ = p.conn.Invoke(p.ended, pubsubpb.Subscriber_ModifyAckDeadline_FullMethodName, request, &reply) // else it comes after its ack deadline
	}
}
