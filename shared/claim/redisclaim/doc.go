// Package redisclaim keeps claims and dead letters in Redis, alone or as a cluster.
//
// A claim is a hash of its version, the record's JSON and the index it is in. Both writes are
// one Lua script, the read is another; all times are the server's, in microseconds. A
// create that finds a record answers with it, so that a duplicate costs one trip.
// The version is the time of the write, moved on where the clock did not move, so
// that it never comes back, not even after the record expired.
//
// Keys, for a claim whose ID falls into bucket xx (of 256) or a letter in x (of 16):
//
//	<prefix>{claims-xx}:claim:<id>     the record
//	<prefix>{claims-xx}:state:<STATE>  sorted set of the IDs in that state
//	<prefix>{letters-x}:letter:<id>    head, body and time of a letter
//	<prefix>{letters-x}:stored         sorted set of letter IDs by time
//
// A script may touch keys of one cluster slot only. Because the bucket is what is
// hashed, a record and the indexes that list it share a slot and change together;
// with an index for the whole store, a crash in between could hide a claim from
// Sweep. State "" lists records whose state is no state; one whose JSON is
// damaged is listed where it was before.
//
// Only DONE and DEAD expire, at the record's ExpireAt by the server's clock, but
// never sooner than an hour after the write: a host with a wrong clock must not
// make a finished claim vanish. The index entries of expired records go with the
// next write to the same index; until then List passes over them.
//
// The client repeats commands whose connection broke, also when the first may
// have been done. That is harmless: the repeat of a create finds the record and
// answers claim.ErrExists, that of a swap finds another version and answers
// claim.ErrConflict, and whoever called looks for its WriteID. Letters are put
// and deleted the same twice. A cancelled context is noticed between commands;
// within one, its deadline or the client's read timeout (3 s) ends the wait. Calls
// that are made at one moment share a pipeline; none waits for another.
//
// Redis must run with maxmemory-policy noeviction (see EvictionPolicy): any other
// forgets claims. A server out of memory answers claim.ErrFull. Replication is
// asynchronous, so a failover can forget the last writes.
package redisclaim
