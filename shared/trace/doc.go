// Package trace makes an OpenTelemetry span of each delivery, with its outcome, and
// sends it to Cloud Trace by OTLP over HTTP (telemetry.googleapis.com).
//
// A span is the child of the publisher's, where the message brings one
// (googclient_traceparent, as Google's clients write it, or traceparent), and linked to
// the push request; without it, it is the child of the request. It is recorded when
// either of the two is: Cloud Run samples requests itself, so nothing is configured.
//
// Cloud Run takes the processor away after the answer, so a recorded span is sent before
// it, for at most a second. A span that can't be sent is dropped and nobody waits: a
// trace is never worth a delivery. Off (nil) where no Tracer is made.
//
// OTLP was chosen over Google's own exporter: it is the standard's, needs one HTTP
// client, and no second gRPC connection at a cold start.
package trace
