package witness

import (
	"maps"
	"slices"
	"sync"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/protobuf/proto"
)

// call reads along in one gRPC call. A frame that can't be read is for the server
// or client to refuse; nothing is counted for it.
type call struct {
	method string
	counts *Deliveries
	flow   *Flow

	mu      sync.Mutex
	subject string   // topic or subscription that the first request named
	ackIDs  []string // of an Acknowledge
}

func (p *PullTap) watch(method string) *call {
	return &call{method: method, counts: p.counts, flow: p.flow}
}

func (c *call) request(frame []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.method {
	case pubsubpb.Publisher_Publish_FullMethodName:
		var r pubsubpb.PublishRequest
		_ = proto.Unmarshal(frame, &r)
		c.subject = r.Topic
	case pubsubpb.Subscriber_Acknowledge_FullMethodName:
		var r pubsubpb.AcknowledgeRequest
		_ = proto.Unmarshal(frame, &r)
		c.subject, c.ackIDs = r.Subscription, r.AckIds
	case pubsubpb.Subscriber_StreamingPull_FullMethodName:
		var r pubsubpb.StreamingPullRequest
		_ = proto.Unmarshal(frame, &r)
		if r.Subscription != "" {
			c.subject = r.Subscription
		}
		c.flow.acknowledged(c.subject, r.AckIds)
	}
}

func (c *call) response(frame []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.method {
	case pubsubpb.Publisher_Publish_FullMethodName:
		var r pubsubpb.PublishResponse
		_ = proto.Unmarshal(frame, &r)
		c.flow.published(c.subject, r.MessageIds)
	case pubsubpb.Subscriber_Acknowledge_FullMethodName:
		c.flow.acknowledged(c.subject, c.ackIDs)
	case pubsubpb.Subscriber_StreamingPull_FullMethodName:
		var r pubsubpb.StreamingPullResponse
		_ = proto.Unmarshal(frame, &r)
		for _, m := range r.ReceivedMessages {
			c.flow.delivered(m.AckId, m.Message.GetMessageId(), c)
			texts := append([]string{string(m.Message.GetData())}, slices.Sorted(maps.Values(m.Message.GetAttributes()))...)
			c.counts.Count(c.subject, Identify(texts...))
		}
	}
}
