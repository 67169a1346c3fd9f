// Package local is Pub/Sub in memory: the real gRPC API on loopback with pull,
// StreamingPull and push, for a run that needs nothing but Go.
//
// It is a broker of its own rather than the client library's pstest, because what
// has to be shown here is what pstest leaves out or does otherwise. It has no push
// and no retry policy (a nack comes back within 10 ms); it counts deliveries for
// all subscriptions of a message together; it dead-letters under the old message ID
// and without the CloudPubSubDeadLetterSource attributes; it refuses retention
// above seven days, keeps every message for ever, and a keep-alive on a stream
// whose connection was cut can block the whole server.
//
// Kept as in the service: wrapped push bodies with both spellings of the message
// ID; the acknowledgement deadline as the push request's time-out; 102, 200, 201,
// 202 and 204 as acknowledgement and all else as a nack; exponential back-off
// between the retry policy's bounds; delivery attempts counted per subscription and
// told only under a dead-letter policy; dead letters under a new message ID.
// Left out and refused with Unimplemented, so that nobody believes in them here:
// ordering, filters, exactly-once delivery, unwrapped push, snapshots and seek.
//
// Beyond the service, for tests: a chosen share of messages is redelivered under
// the same ID (see Config.Redeliver), true backlogs are told (see Server.Stats),
// and a Link cuts one client's connections for good.
package local
