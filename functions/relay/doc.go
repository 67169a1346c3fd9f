// Package relay is the function Relay: it posts any event to a service of yours,
// once. The README beside this file has the table of what each answer means.
//
// # Chosen here
//
// A verdict never asks which policy is in force. "Refused" is NoEffect around
// Permanent: the runner dead-letters it at once where work may be repeated, and
// retries instead of parking where it may not.
//
// Go's HTTP client repeats a POST by itself when it carries an Idempotency-Key and
// its body can be had again. Here it can't: whether to repeat is the claim's
// decision. Destructive policies also use each connection for one request, since a
// kept one that the service closes in the meantime looks like a lost answer and
// would park the event.
//
// Redirects are not followed, proxies from the environment not used, and addresses
// are checked after the name was resolved. Link-local and cloud metadata addresses
// are never allowed, loopback and private ones only when declared.
package relay
