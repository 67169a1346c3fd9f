// Package serve runs an HTTP handler from listen to exit, as Cloud Run and Pub/Sub
// need it.
//
// The functions framework's own Start is a bare ListenAndServe: no limits, and
// SIGTERM drops what is in work. Framework and Below take its handler, Run serves it.
//
// # The end
//
// On SIGTERM, SIGINT or the end of its context, Run stops taking work at once.
// What is in work may finish within the grace period; then the contexts of the
// requests end, with ErrStopping as their cause, and handlers have the settle
// period to write down how far they got. With the defaults that is 7 s and 1.5 s,
// within the 10 s after which Cloud Run kills. A second signal kills at once.
//
// # Chosen here
//
// There is no read or write time-out for a whole request: net/http's read time-out
// also ends the context of a handler that runs longer, and a push may be in work
// for the ten minutes of an ack deadline. Headers have one.
package serve
