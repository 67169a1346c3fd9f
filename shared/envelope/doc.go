// Package envelope turns every form in which an event is delivered into one Message:
//
//   - a Pub/Sub push, wrapped in JSON;
//   - a Pub/Sub push without its wrapper, metadata in x-goog-pubsub-* headers;
//   - a CloudEvent over HTTP, binary or structured, Eventarc's among them;
//   - a pulled message.
//
// Each of the Pub/Sub forms may carry a CloudEvent of its own by the Pub/Sub
// protocol binding: ce-* attributes around the data, or a structured event as data.
//
// # Chosen here
//
// Eventarc's messagePublished is unwrapped, so a handler sees the same Message
// and the same Event whether Eventarc or a plain subscription pushed it.
//
// A CloudEvent over HTTP that never was a Pub/Sub message becomes what the
// binding's binary mode would have published: its data as Data, its attributes
// as ce-* Attributes, its id as ID. So Data and Attributes are always enough to
// publish the event again, and a sender that changes from structured to binary
// mode does not change the payload hash.
//
// A message that says it carries a CloudEvent, but a broken one, is a plain
// message: its envelope is sound, so the handler's Plan decides about the data
// and what it refuses is dead-lettered. A broken CloudEvent over HTTP has no
// sound envelope around it and is malformed.
//
// Pushed without wrapper, attributes are HTTP headers: their names arrive in
// lower case, and those that HTTP or the Google front end use themselves
// (authorization, forwarding, tracing and the like) are not attributes. Without
// the metadata headers there is no message ID, and the push is malformed:
// set writeMetadata on the subscription.
//
// Figures that only inform (publish time, delivery attempt) count as unknown
// when they can't be read; a message is never refused for their sake.
package envelope
