package local

import (
	"maps"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
)

// The service backs off a failing push even without a retry policy.
const (
	minPushBackoff = 100 * time.Millisecond
	maxPushBackoff = 60 * time.Second
)

// ack ends a lease for good. An ack ID whose lease is over changes nothing: the message comes again.
func (q *queue) ack(ackID string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.release(ackID)
	if e == nil {
		return
	}
	q.remove(e)
	if e.extra {
		return
	}
	q.stats.Acked++
	if e.again {
		q.timed.set(&entry{message: e.message, place: -1, extra: true}, time.Now().Add(redeliverAfter))
	}
}

// modify extends a lease from now on, or ends it as a nack when d is zero.
func (q *queue) modify(ackID string, d time.Duration) {
	q.mu.Lock()
	if d > 0 {
		if e := q.leases[ackID]; e != nil {
			q.timed.set(e, time.Now().Add(d))
		}
	} else if e := q.release(ackID); e != nil {
		q.fail(e, time.Now())
	}
	q.mu.Unlock()
	q.forward()
}

// release takes the entry out of its holder's hands. Lock held.
func (q *queue) release(ackID string) *entry {
	e := q.leases[ackID]
	if e == nil {
		return nil
	}
	delete(q.leases, ackID)
	q.timed.drop(e)
	e.ackID = ""
	e.holder.held--
	e.holder = nil
	q.wake()
	return e
}

// expire ends the leases and back-offs that are over. Lock held.
func (q *queue) expire(now time.Time) {
	for len(q.timed) > 0 && !q.timed[0].due.After(now) {
		e := q.timed[0]
		if e.leased() {
			q.fail(q.release(e.ackID), now)
			continue
		}
		q.timed.drop(e)
		q.ready.PushBack(e)
	}
}

// fail decides what follows a nack or an expired lease. Lock held.
func (q *queue) fail(e *entry, now time.Time) {
	if e.extra {
		return // dropped: the message itself is still there
	}
	if p := q.sub.DeadLetterPolicy; p != nil && e.attempts >= int(p.MaxDeliveryAttempts) {
		q.buried = append(q.buried, e)
		return
	}
	q.timed.set(e, now.Add(q.backoff(e.attempts)))
}

func (q *queue) backoff(attempts int) time.Duration {
	low, high := time.Duration(0), time.Duration(0)
	switch p := q.sub.RetryPolicy; {
	case p != nil:
		low, high = p.MinimumBackoff.AsDuration(), p.MaximumBackoff.AsDuration()
	case q.sub.GetPushConfig().GetPushEndpoint() != "":
		low, high = minPushBackoff, maxPushBackoff
	}
	return min(low<<min(attempts-1, 20), high)
}

// forward publishes what ran out of attempts to the dead-letter topic. While that
// topic is missing, the message stays and is tried again. Lock not held.
func (q *queue) forward() {
	q.mu.Lock()
	buried, sub := q.buried, q.sub
	q.buried = nil
	q.mu.Unlock()
	for _, e := range buried {
		topic, dead := sub.GetDeadLetterPolicy().GetDeadLetterTopic(), deadLetter(e, sub)
		_, ok := q.server.publish(topic, []*pubsubpb.PubsubMessage{dead})
		q.mu.Lock()
		if ok {
			q.remove(e)
			q.stats.DeadLettered++
		} else {
			q.timed.set(e, time.Now().Add(max(q.backoff(e.attempts), time.Second)))
		}
		q.wake()
		q.mu.Unlock()
	}
}

// deadLetter is what the service forwards: the message under a new ID, with where it came from.
func deadLetter(e *entry, sub *pubsubpb.Subscription) *pubsubpb.PubsubMessage {
	parts := strings.Split(sub.Name, "/")
	attributes := maps.Clone(e.message.Attributes)
	if attributes == nil {
		attributes = map[string]string{}
	}
	attributes["CloudPubSubDeadLetterSourceDeliveryCount"] = strconv.Itoa(e.attempts)
	attributes["CloudPubSubDeadLetterSourceSubscription"] = parts[3]
	attributes["CloudPubSubDeadLetterSourceSubscriptionProject"] = parts[1]
	attributes["CloudPubSubDeadLetterSourceTopicPublishTime"] = e.message.PublishTime.AsTime().Format(time.RFC3339Nano)
	return &pubsubpb.PubsubMessage{Data: e.message.Data, Attributes: attributes, OrderingKey: e.message.OrderingKey}
}

// remove takes a message out of the backlog. Lock held.
func (q *queue) remove(e *entry) {
	if e.order != nil {
		q.order.Remove(e.order)
		e.order = nil
	}
}
