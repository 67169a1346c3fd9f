package memclaim

// DoneListed tells how long the list is from which eviction takes.
func DoneListed(s *Store) int { return len(s.content.done) }
