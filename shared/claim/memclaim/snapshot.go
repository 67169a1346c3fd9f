package memclaim

// Snapshot is the content of a Store at one moment. It can be restored any
// number of times, into any store.
type Snapshot struct{ content content }

// Snapshot copies the content: references to the records, not the records.
func (s *Store) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Snapshot{content: s.content.clone()}
}

// Restore replaces the content with what it was, the store's time and the
// counter of versions included.
func (s *Store) Restore(from Snapshot) {
	c := from.content.clone()
	if c.entries == nil { // the zero Snapshot is an empty store
		c = newContent()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.content = c
}

// Clone returns a store of its own with the same content, bound and clock.
func (s *Store) Clone() *Store {
	return &Store{now: s.now, capacity: s.capacity, content: s.Snapshot().content}
}
