// Package firestoregroups keeps the live state of groups in one Firestore
// document: it changes when a person asks, well below a write per second.
//
// The document stands in the routing collection, so that a router's one query
// reads it together with the figures and the ledger. That query selects by the
// field "retires" (milliseconds since 1970), which for documents that stay is Forever.
package firestoregroups
