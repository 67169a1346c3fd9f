// Package firestoreclaim keeps claims and dead letters in Firestore.
//
// A claim is one document, named by the claim's ID, in the collection
// <prefix>claims. Each operation is one RPC and no transaction: Create is a
// commit that requires absence, Swap one that requires the update time that was
// read, which is also the version. Written is the document's update time and
// Now the read time, so all times are Firestore's own, in microseconds.
//
// The client library repeats a commit that was answered UNAVAILABLE or
// RESOURCE_EXHAUSTED. If the first had happened, the repeat shows as ErrExists or
// ErrConflict to the one who succeeded: whoever calls looks for its WriteID.
//
// Fields are typed so that people can read them in the console; a text that is
// not UTF-8, which Firestore refuses, is stored as bytes. Fields that this
// version doesn't know stay as they are on a Swap. expireAt is absent unless the
// record expires, and is meant for a TTL policy on the collection group. Only
// state needs an index (the automatic one); exempt the others, every timestamp
// above all.
//
// A document without any state field is found by no query: only Get shows it.
//
// A letter is a head document in <prefix>letters. A body above the size of a
// document goes first into the head's subcollection chunks, under a generation
// that no other Put uses; the head, written last, names it. So a letter is whole
// or not there, and a reader never mixes two Puts. Put and Delete remove the
// chunks that the head named before; what a crash in between leaves behind, the
// Delete of that letter removes once it is an hour old.
package firestoreclaim
