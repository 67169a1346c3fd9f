// Package rig runs real worker processes on Google's Pub/Sub emulator against a
// service that is a witness, with traffic that comes twice, and counts from outside
// what came of it. The chaos and soak suites are built on it.
//
// ONCEWAY_RELAY_POLICY is a process's, not a subscription's: each policy has a topic,
// a subscription and replicas of its own. All replicas of both policies share one
// store of claims, one dead-letter topic and one witness.
//
// Pub/Sub is reached through a tap, since the emulator tells no backlog: a run has
// ended when nothing is left unacknowledged, not when a clock says so.
package rig
