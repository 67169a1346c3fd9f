package witness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// PullTap stands between Pub/Sub's gRPC API and one puller: it passes every call on
// as it is and counts the messages in what StreamingPull answers. Cutting it looks
// to both sides as if the other died.
type PullTap struct {
	counts   *Deliveries
	listener net.Listener
	server   *grpc.Server
	conn     *grpc.ClientConn
	served   chan struct{}
}

// NewPullTap passes on to the gRPC server at target from a free loopback port.
func NewPullTap(target string, counts *Deliveries) (*PullTap, error) {
	if counts == nil {
		return nil, errors.New("pull tap: counts are missing")
	}
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{}), grpc.MaxCallRecvMsgSize(2*maxBody)))
	if err != nil {
		return nil, fmt.Errorf("pull tap: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("pull tap: %w", err)
	}
	p := &PullTap{counts: counts, listener: listener, conn: conn, served: make(chan struct{})}
	p.server = grpc.NewServer(grpc.ForceServerCodecV2(raw{}), grpc.UnknownServiceHandler(p.pass),
		grpc.MaxRecvMsgSize(2*maxBody), grpc.WaitForHandlers(true))
	go func() {
		defer close(p.served)
		_ = p.server.Serve(listener) // ends with Cut
	}()
	return p, nil
}

// Addr is what the puller takes for Pub/Sub.
func (p *PullTap) Addr() string { return p.listener.Addr().String() }

// Cut ends all calls and refuses new ones, for good. A second call changes nothing.
func (p *PullTap) Cut() {
	p.server.Stop()
	<-p.served
	_ = p.conn.Close()
}

// pass carries one call, of whatever kind, both ways until it ends.
func (p *PullTap) pass(_ any, in grpc.ServerStream) error {
	method, ok := grpc.MethodFromServerStream(in)
	if !ok {
		return status.Error(codes.Internal, "the call has no method")
	}
	ctx, cancel := context.WithCancel(in.Context())
	defer cancel()
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		ctx = metadata.NewOutgoingContext(ctx, md)
	}
	out, err := p.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err != nil {
		return err
	}
	pulling := method == pubsubpb.Subscriber_StreamingPull_FullMethodName
	subscription := make(chan string, 1)
	go p.upstream(in, out, pulling, subscription, cancel)
	return p.downstream(in, out, pulling, subscription)
}

func (p *PullTap) upstream(in grpc.ServerStream, out grpc.ClientStream, pulling bool, subscription chan<- string, cancel func()) {
	for first := true; ; first = false {
		var frame []byte
		err := in.RecvMsg(&frame)
		if errors.Is(err, io.EOF) {
			_ = out.CloseSend()
			return
		}
		if err != nil {
			cancel()
			return
		}
		if first && pulling {
			var request pubsubpb.StreamingPullRequest
			_ = proto.Unmarshal(frame, &request) // an unreadable one is for the server to refuse
			subscription <- request.Subscription
		}
		if out.SendMsg(frame) != nil {
			return // downstream gets the reason
		}
	}
}

func (p *PullTap) downstream(in grpc.ServerStream, out grpc.ClientStream, pulling bool, subscription <-chan string) error {
	name := ""
	for {
		var frame []byte
		err := out.RecvMsg(&frame)
		if errors.Is(err, io.EOF) {
			in.SetTrailer(out.Trailer())
			return nil
		}
		if err != nil {
			in.SetTrailer(out.Trailer())
			return err
		}
		if pulling {
			if name == "" {
				name = <-subscription
			}
			p.count(name, frame)
		}
		if err := in.SendMsg(frame); err != nil {
			return err
		}
	}
}

func (p *PullTap) count(subscription string, frame []byte) {
	var response pubsubpb.StreamingPullResponse
	if proto.Unmarshal(frame, &response) != nil {
		return
	}
	for _, m := range response.ReceivedMessages {
		texts := append([]string{string(m.Message.GetData())}, slices.Sorted(maps.Values(m.Message.GetAttributes()))...)
		p.counts.Count(subscription, Identify(texts...))
	}
}

// raw carries messages as the bytes they are.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	frame, ok := v.([]byte)
	if !ok {
		return nil, fmt.Errorf("can't pass on a %T", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(frame)}, nil
}

func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	frame, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("can't pass on a %T", v)
	}
	*frame = data.Materialize()
	return nil
}
