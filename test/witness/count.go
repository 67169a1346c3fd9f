package witness

import "sync"

// Deliveries counts what Pub/Sub handed over, on the way between it and the code
// under test: pushes at an HTTP tap, pulled messages at a gRPC tap.
type Deliveries struct {
	of func(subscription string) bool

	mu         sync.Mutex
	seen       map[string]bool // by subscription and event
	total      int
	duplicates int
}

// NewDeliveries counts for the subscriptions that of says; nil means all.
func NewDeliveries(of func(subscription string) bool) *Deliveries {
	if of == nil {
		of = func(string) bool { return true }
	}
	return &Deliveries{of: of, seen: map[string]bool{}}
}

// Count records one delivery. It is a duplicate when this subscription delivered
// this event before, under whatever message ID; retries after a nack are duplicates too.
func (d *Deliveries) Count(subscription, event string) {
	if !d.of(subscription) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.total++
	key := subscription + " " + event
	if event != "" && d.seen[key] {
		d.duplicates++
	}
	d.seen[key] = true
}

// Counts answers with all deliveries and with how many of them were duplicates.
func (d *Deliveries) Counts() (total, duplicates int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.total, d.duplicates
}
