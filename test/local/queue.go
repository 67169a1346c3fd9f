package local

import (
	"container/list"
	"context"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"google.golang.org/protobuf/proto"
)

// batch is the most messages handed to a stream at once, so that two streams share a backlog.
const batch = 20

// redeliverAfter is how long after its acknowledgement a message comes again, where that was drawn.
const redeliverAfter = 100 * time.Millisecond

// queue is what one subscription holds. Lock order: Server.mu, then queue.mu.
type queue struct {
	server *Server
	gone   chan struct{} // closed when the subscription is deleted

	mu      sync.Mutex
	sub     *pubsubpb.Subscription // replaced whole, never written to
	ready   list.List              // entries to deliver now, in order
	timed   timed                  // leased entries and those in back-off
	leases  map[string]*entry      // by ack ID
	order   list.List              // unacknowledged messages by publish time, extras excluded
	buried  []*entry               // out of attempts, to be forwarded outside the lock
	stats   Stats
	leaseNo int64
	changed chan struct{} // closed and replaced when a consumer should look again
}

func newQueue(s *Server, sub *pubsubpb.Subscription) *queue {
	return &queue{
		server: s, sub: sub, gone: make(chan struct{}),
		leases: map[string]*entry{}, changed: make(chan struct{}),
	}
}

func (q *queue) settings() *pubsubpb.Subscription {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.sub
}

func (q *queue) configure(sub *pubsubpb.Subscription) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sub = sub
	q.wake()
}

func (q *queue) delete() { close(q.gone) }

// put takes a published message.
func (q *queue) put(m *pubsubpb.PubsubMessage) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := &entry{message: m, place: -1}
	e.order = q.order.PushBack(e)
	q.ready.PushBack(e)
	if share := q.server.config.Redeliver; share != nil && q.server.draw(share(q.sub.Name)) {
		if q.server.draw(0.5) {
			q.ready.PushBack(&entry{message: m, place: -1, extra: true})
		} else {
			e.again = true
		}
	}
	q.wake()
}

// next blocks until there is at least one message for h, and leases up to limit of
// them for the given time. It returns nil when ctx ends or the subscription is deleted.
func (q *queue) next(ctx context.Context, h *holder, limit int, lease time.Duration, push bool) []*pubsubpb.ReceivedMessage {
	for {
		q.mu.Lock()
		messages := q.take(h, limit, lease, push)
		changed, due := q.changed, q.nextDue()
		q.mu.Unlock()
		q.forward()
		if len(messages) > 0 {
			return messages
		}
		timer := time.NewTimer(due)
		select {
		case <-changed:
		case <-timer.C:
		case <-q.gone:
			timer.Stop()
			return nil
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		timer.Stop()
	}
}

// take leases what is ready. A subscription with an endpoint serves pushes alone. Lock held.
func (q *queue) take(h *holder, limit int, lease time.Duration, push bool) []*pubsubpb.ReceivedMessage {
	q.expire(time.Now())
	if push != (q.sub.GetPushConfig().GetPushEndpoint() != "") {
		return nil
	}
	if lease <= 0 {
		lease = q.ackDeadline()
	}
	var out []*pubsubpb.ReceivedMessage
	size := 0
	for q.ready.Len() > 0 && len(out) < limit && h.held < h.limit {
		e := q.ready.Front().Value.(*entry)
		if size += proto.Size(e.message); len(out) > 0 && size > maxMessage/2 {
			break
		}
		q.ready.Remove(q.ready.Front())
		out = append(out, q.lease(e, h, lease))
	}
	return out
}

func (q *queue) lease(e *entry, h *holder, lease time.Duration) *pubsubpb.ReceivedMessage {
	q.leaseNo++
	e.ackID = e.message.MessageId + ":" + strconv.FormatInt(q.leaseNo, 10)
	e.attempts++
	e.holder = h
	h.held++
	q.leases[e.ackID] = e
	q.timed.set(e, time.Now().Add(lease))
	q.stats.Deliveries++
	if e.extra || e.attempts > 1 {
		q.stats.Redeliveries++
	}
	rm := &pubsubpb.ReceivedMessage{AckId: e.ackID, Message: e.message}
	if q.sub.DeadLetterPolicy != nil {
		rm.DeliveryAttempt = int32(e.attempts)
	}
	return rm
}

func (q *queue) ackDeadline() time.Duration {
	return time.Duration(q.sub.AckDeadlineSeconds) * time.Second
}

// nextDue is how long nothing changes by itself. Lock held.
func (q *queue) nextDue() time.Duration {
	if len(q.timed) == 0 {
		return time.Hour
	}
	return max(time.Until(q.timed[0].due), 0) + time.Millisecond
}

// wake makes every consumer look again. Lock held.
func (q *queue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}
