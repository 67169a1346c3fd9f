package witness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// PullTap stands between Pub/Sub's gRPC API and its clients: it passes every call on
// as it is, and counts what StreamingPull hands out, what is published and what
// acknowledged. Cutting it looks to both sides as if the other died.
type PullTap struct {
	counts   *Deliveries
	flow     *Flow
	listener net.Listener
	server   *grpc.Server
	conn     *grpc.ClientConn
	served   chan struct{}
	hasty    bool

	ended   context.Context // when it was cut
	end     context.CancelFunc
	leaving sync.WaitGroup
	mu      sync.Mutex
	feeds   map[string]chan *feed // by subscription
}

// NewPullTap passes on to the gRPC server at target from a free loopback port.
func NewPullTap(target string, counts *Deliveries, flow *Flow) (*PullTap, error) {
	if counts == nil || flow == nil {
		return nil, errors.New("pull tap: counts or flow are missing")
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
	p := &PullTap{counts: counts, flow: flow, listener: listener, conn: conn, served: make(chan struct{}), feeds: map[string]chan *feed{}}
	p.ended, p.end = context.WithCancel(context.Background())
	p.server = grpc.NewServer(grpc.ForceServerCodecV2(raw{}), grpc.UnknownServiceHandler(p.pass),
		grpc.MaxRecvMsgSize(2*maxBody), grpc.WaitForHandlers(true))
	go func() {
		defer close(p.served)
		_ = p.server.Serve(listener) // ends with Cut
	}()
	return p, nil
}

// Addr is what the clients take for Pub/Sub.
func (p *PullTap) Addr() string { return p.listener.Addr().String() }

// Hasten has what a client held delivered again as soon as it is gone, as push does
// when a connection breaks; else Pub/Sub waits for the ack deadline. Call it before
// the first client comes.
func (p *PullTap) Hasten() { p.hasty = true }

// Cut ends all calls and refuses new ones, for good. A second call changes nothing.
func (p *PullTap) Cut() {
	p.end()
	p.server.Stop()
	<-p.served
	p.leaving.Wait()
	_ = p.conn.Close()
}

// callWithin bounds every call but StreamingPull.
const callWithin = time.Minute

// pass carries one call, of whatever kind, both ways until it ends.
func (p *PullTap) pass(_ any, in grpc.ServerStream) error {
	method, ok := grpc.MethodFromServerStream(in)
	if !ok {
		return status.Error(codes.Internal, "the call has no method")
	}
	if method == pubsubpb.Subscriber_StreamingPull_FullMethodName {
		return p.pull(in)
	}
	// A client that dies leaves its call to come to its end: an acknowledgement that
	// Pub/Sub takes has to be counted.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(in.Context()), callWithin)
	defer cancel()
	defer context.AfterFunc(p.ended, cancel)()
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		ctx = metadata.NewOutgoingContext(ctx, md)
	}
	out, err := p.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err != nil {
		return err
	}
	seen := p.watch(method)
	go upstream(in, out, seen)
	return downstream(in, out, seen)
}

func upstream(in grpc.ServerStream, out grpc.ClientStream, seen *call) {
	for {
		var frame []byte
		if in.RecvMsg(&frame) != nil {
			_ = out.CloseSend() // a broken call shows downstream
			return
		}
		seen.request(frame)
		if out.SendMsg(frame) != nil {
			return // downstream gets the reason
		}
	}
}

func downstream(in grpc.ServerStream, out grpc.ClientStream, seen *call) error {
	for {
		var frame []byte
		err := out.RecvMsg(&frame)
		if err != nil {
			in.SetTrailer(out.Trailer())
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		seen.response(frame)
		if err := in.SendMsg(frame); err != nil {
			return err
		}
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
