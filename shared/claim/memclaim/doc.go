// Package memclaim keeps claims and dead letters in the memory of one process,
// for development, tests and the state explorer. A restart forgets everything,
// so at-most-once holds only as long as the process lives and is alone.
//
// It is bounded. A full claim store forgets DONE records, the oldest write
// first; where nothing is DONE it answers claim.ErrFull rather than forget a
// claim that somebody may still act on. A full letter store refuses the letter:
// the message then stays on its dead-letter topic.
//
// Versions are one counter for the whole store, so a version never comes back,
// not even for an ID that was forgotten and created again. Time is the injected
// clock, held where it is when that clock steps back. Expiry is not enforced:
// the bound is what cleans. Nothing here is random and nothing runs in the
// background: the same calls give the same content, which Snapshot and Restore
// copy without copying the records themselves.
package memclaim
