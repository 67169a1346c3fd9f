// Package soak keeps workers at work for a while, on claims in Firestore, Redis and
// PostgreSQL side by side: steady traffic of which a part comes twice, a service that
// fails, refuses or is slow, rolling restarts by SIGTERM, and stores that are gone for
// ten seconds each minute, refusing connections and swallowing bytes in turn.
//
// Nothing may act twice or be lost; what the worker that is never restarted uses
// (goroutines, memory, open files and connections) must not grow; and after each
// outage events must act as quickly as before it.
//
// Tests are under the build tag soak. ONCEWAY_SOAK_FOR says for how long, as 30m;
// else it is five minutes, or one with ONCEWAY_TEST_SHORT=1.
package soak
