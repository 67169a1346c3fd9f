// Package firestoreaudit keeps the audit log in Firestore: one document an
// entry, named by the hash of its ID, written with Create alone. Listing needs
// only the index on "at" that Firestore keeps by itself.
package firestoreaudit
