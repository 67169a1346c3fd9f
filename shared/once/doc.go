// Package once runs a handler under a claim, so that an event that is delivered twice
// acts once. It holds the verdicts that a handler's errors carry, the runner, and the
// one mapping of outcomes to HTTP status and acknowledgement.
//
// Chosen here: a handler is not cancelled when its delivery's connection breaks, only by
// its own deadline and by the end of the process; the last attempt's failure is given up
// at once instead of at one more delivery.
package once
