// Package settle ends what no redelivery will end: parked claims, dead letters, and
// whatever broke off between the steps of settling them. The scheduled function, the
// command line and the console share it.
//
// The order is always the same: the claim first, then the event's publication, then
// the stored letter's removal. A crash between two steps leaves the claim in RETRY,
// marked, with its letter; Sweep goes on from there. The other order would publish an
// event that meets the old state and is acknowledged away.
package settle
