// Package witness counts from outside what onceway did: it is the receiving end of
// relay and webhook, a Google Chat API, the pipeline that campaigns feed, and a
// dead-letter subscription of its own. It shares no code with what it watches and
// knows only what is documented for everybody: the Idempotency-Key header, the
// requestId of Chat's messages.create, and the attributes onceway-key and onceway-reason.
//
// Sample events carry a name of the form "sample-KIND-NUMBER" somewhere in their
// data. The witness finds it in whatever arrives, so it does not depend on how a
// request is built around the data.
//
// What counts as one act: a request that was let through, by relay or webhook; a
// Chat message that was really created (a repeat with the same requestId creates
// none); a message in a group's first queue, by message ID, so that Pub/Sub's own
// redelivery to the pipeline is none.
package witness
