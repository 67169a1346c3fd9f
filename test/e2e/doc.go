// Package e2e has the end-to-end tests, under the build tag emulators: the product's
// own binaries as processes, on Google's Pub/Sub and Firestore emulators, judged by
// the witness.
//
// Whoever pulls does so through a witness.PullTap, which is told why there.
package e2e
