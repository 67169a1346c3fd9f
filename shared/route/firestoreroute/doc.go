// Package firestoreroute keeps routing state in Firestore.
//
// One collection, "routing", holds everything that a choice needs: the figures,
// the settings, the groups' live state (firestoregroups) and the ledger's
// buckets, so that one query reads them all at one moment. It selects by the
// field "retires", milliseconds since 1970, the only one that needs an index
// there. "assignments" and "routing-history" need an index on "at", and
// "recommendations" none. "expireAt" is the TTL field of routing, assignments
// and routing-history; no index needs it.
//
// A ledger bucket is split into shards by campaign, since Firestore sustains
// about one write a second for each document. Nothing here runs a transaction.
package firestoreroute
