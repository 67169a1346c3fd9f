// Package servers starts the real servers that tests and local runs work
// against: Google's Pub/Sub and Firestore emulators, Debian's redis-server and
// PostgreSQL. Each listens on a free port of 127.0.0.1 only.
//
// A program calls a Start function and, when done, Stop. A test binary calls
// Main in its TestMain and then, in tests, Firestore, PubSub, Redis or Postgres:
// each starts at most once for the binary, is shared by all its tests (which
// keep apart by names of their own) and is stopped after the last.
//
// Every server runs in a process group of its own and is ended by that group's
// ID. The kernel ends it too when this process dies without a word, by a panic,
// a time-out of go test or SIGKILL.
package servers
