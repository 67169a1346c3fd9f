// Package logging writes slog records as JSON lines in the form that Cloud Logging
// reads: severity, message, time, the trace and span a line belongs to, labels.
// Elsewhere the lines are plain JSON, so there is one form for local runs too.
//
// Lines carry the trace that the request brought (traceparent, else
// X-Cloud-Trace-Context), so that the log of one delivery stands together with
// the platform's own request log. It is read from the context and never made up:
// use the …Context methods of slog.Logger.
//
// # What is never logged
//
// Payloads and their parts, attribute values, tokens and Authorization headers,
// e-mail addresses and names of people, the text of a Chat message, whole
// configurations, connection strings, and response bodies of other services.
// Nothing here redacts: a redactor would be trusted and would miss. Log the key's
// hash, the handler, the outcome, epoch, attempt and counts instead.
package logging
