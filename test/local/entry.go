package local

import (
	"container/heap"
	"container/list"
	"time"

	"cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
)

// entry is a message in one subscription, or an extra delivery of it.
type entry struct {
	message *pubsubpb.PubsubMessage // shared between queues, never written to after publishing

	// extra marks a redelivery that nobody asked for: it is delivered once,
	// counts in no backlog and is dropped when it is nacked.
	extra bool
	// again asks for an extra delivery after the acknowledgement.
	again bool

	attempts int
	ackID    string    // while leased, else empty
	due      time.Time // while timed: end of the lease or of the back-off
	place    int       // in timed, -1 when not there
	order    *list.Element
	holder   *holder
}

// holder is one consumer with flow control; its fields belong to the queue's lock.
type holder struct {
	limit int // messages out at a time
	held  int
}

func (e *entry) leased() bool { return e.ackID != "" }

// timed is a heap of entries by due time.
type timed []*entry

func (t timed) Len() int           { return len(t) }
func (t timed) Less(i, j int) bool { return t[i].due.Before(t[j].due) }
func (t timed) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].place, t[j].place = i, j
}

// Push is for container/heap.
func (t *timed) Push(x any) {
	e := x.(*entry)
	e.place = len(*t)
	*t = append(*t, e)
}

// Pop is for container/heap.
func (t *timed) Pop() any {
	last := len(*t) - 1
	e := (*t)[last]
	(*t)[last] = nil
	*t = (*t)[:last]
	e.place = -1
	return e
}

func (t *timed) set(e *entry, due time.Time) {
	e.due = due
	if e.place >= 0 {
		heap.Fix(t, e.place)
		return
	}
	heap.Push(t, e)
}

func (t *timed) drop(e *entry) {
	if e.place >= 0 {
		heap.Remove(t, e.place)
	}
}
