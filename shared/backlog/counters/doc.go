// Package counters is the backlog source for those who need it fresher than
// Cloud Monitoring: a live counter for each queue, kept by the workers.
//
// # For workers in any language
//
// The counter of queue personalizer of group dg01 is the plain integer key
// dg01-personalizer:
//
//	INCR dg01-personalizer    when the queue receives a message
//	DECR dg01-personalizer    when it is acknowledged
//
// A queue receives a message when it is published to its topic, so whoever feeds
// the queue counts up, just before publishing, and the queue's own worker counts
// down, just after the acknowledgement. In this order the counter errs upwards
// while a message is under way. (Were the worker to count up too, when it takes a
// message, everything still waiting would be invisible and everything it drains
// would stay counted.) A redelivered message is not counted again. INCRBY and
// DECRBY do for many at once.
//
// # How they are kept true
//
// Counters drift: processes die between the two steps. So Score compares them
// with Cloud Monitoring. Its figure is minutes old when it appears; comparing it
// with the counter of now would "correct" everything that moved meanwhile.
// Instead each run notes the counters with the time, and a figure sampled at τ is
// compared with the notes just before and just after τ. The counter is off by
// what the figure lies outside of them, unless the counter itself moved by more
// than that in between; and it is corrected only when the figure before says the
// same, since a burst that comes and goes between two notes looks like drift
// once, but not twice. A correction is one addition, made by one reader alone, so
// no count made meanwhile is lost; figures from before it are not used again.
//
// A counter below zero counts as zero and is reported; it is left for the next
// comparison to mend, since it may be a matter of milliseconds. A queue that is
// counted but has no key yet starts with Monitoring's figure.
//
// Chosen here: queues are counted when configured so; the others come from
// Monitoring unchanged, and so does a counted queue while the store is down.
package counters
