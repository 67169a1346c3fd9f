package local

import "time"

// Stats is the truth about one subscription, which the service tells only late and sampled.
type Stats struct {
	// Undelivered counts unacknowledged messages, those in hand included: what
	// the metric num_undelivered_messages counts.
	Undelivered int64
	// Oldest is when the oldest of them was published; zero without any.
	Oldest time.Time
	// Outstanding counts the messages in hand, extra deliveries included.
	Outstanding int64
	// Acked, Deliveries, Redeliveries and DeadLettered count since the
	// subscription was made. Redeliveries are deliveries of a message after its first.
	Acked, Deliveries, Redeliveries, DeadLettered int64
}

// Stats answers for "projects/P/subscriptions/S", or false when there is none.
func (s *Server) Stats(subscription string) (Stats, bool) {
	q, err := s.queue(subscription)
	if err != nil {
		return Stats{}, false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	stats := q.stats
	stats.Undelivered = int64(q.order.Len())
	stats.Outstanding = int64(len(q.leases))
	if first := q.order.Front(); first != nil {
		stats.Oldest = first.Value.(*entry).message.PublishTime.AsTime()
	}
	return stats, true
}

// Subscriptions lists the names of all subscriptions.
func (s *Server) Subscriptions() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return sortedUnder(s.queues, "")
}
