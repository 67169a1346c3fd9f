package memclaim

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"onceway.internal/shared/claim"
)

// entry is one record as it was written. It never changes: a write makes a new
// one, which is why snapshots can share them.
type entry struct {
	record  claim.Record
	seq     uint64 // number of the write, the record's version
	written time.Time
}

// finished remembers that a write left a record DONE. It is out of date once
// the record was written again, or forgotten.
type finished struct {
	id  string
	seq uint64
}

// content is everything that a store remembers.
type content struct {
	entries map[string]*entry
	done    []finished // in the order of their writes
	seq     uint64
	last    time.Time
}

func newContent() content { return content{entries: map[string]*entry{}} }

func (c *content) clone() content {
	return content{entries: maps.Clone(c.entries), done: slices.Clone(c.done), seq: c.seq, last: c.last}
}

// tick moves the store's time to t, unless that would be back.
func (c *content) tick(t time.Time) time.Time {
	if t.After(c.last) {
		c.last = t
	}
	return c.last
}

func (c *content) write(r claim.Record, t time.Time) claim.Stored {
	c.seq++
	e := &entry{record: own(r), seq: c.seq, written: c.tick(t)}
	c.entries[r.ID] = e
	if r.State == claim.Done {
		c.done = append(c.done, finished{id: r.ID, seq: e.seq})
		c.compact()
	}
	return e.stored(e.written)
}

// evict forgets the DONE record with the oldest write, if there is one.
func (c *content) evict() bool {
	for len(c.done) > 0 {
		f := c.done[0]
		c.done = c.done[1:]
		if c.current(f) {
			delete(c.entries, f.id)
			return true
		}
	}
	return false
}

func (c *content) current(f finished) bool {
	e, ok := c.entries[f.id]
	return ok && e.seq == f.seq
}

// compact drops what is out of date once that is most of the list, so that DONE
// records written over and over don't grow it.
func (c *content) compact() {
	if len(c.done) > 2*len(c.entries)+16 {
		c.done = slices.DeleteFunc(c.done, func(f finished) bool { return !c.current(f) })
	}
}

func (e *entry) stored(now time.Time) claim.Stored {
	return claim.Stored{
		Record:  own(e.record),
		Version: strconv.FormatUint(e.seq, 10),
		Written: e.written,
		Now:     now,
	}
}

// own copies what a record shares with whoever holds another copy of it.
func own(r claim.Record) claim.Record {
	r.Result = slices.Clone(r.Result)
	r.Trace = slices.Clone(r.Trace)
	return r
}
