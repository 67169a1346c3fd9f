// Package console is the page for people, and the JSON API beneath it: which group is
// busy, why a campaign went where it went, what needs a person, who changed what.
//
// Pages are rendered here and work without JavaScript, for reading and for acting.
// htmx refreshes the live parts, uPlot draws the charts; both are embedded, with
// their licences, from the npm packages named in static/VENDORED.md.
//
// # Who
//
// Behind Identity-Aware Proxy every request carries an assertion, which package iap
// verifies. Without it only requests from this machine to this machine are answered:
// loopback at both ends, a loopback name in the Host header (or a page elsewhere could
// rebind its name and act as the reader), no proxy in between. Everybody is then the
// configured identity, and a banner says so. Roles are the policy file's.
//
// # Acts
//
// Every form carries a token and the version of what its reader saw. The token makes
// the operation's ID, together with who acts on what: a repeat is the same operation.
// The version makes the change a compare-and-swap on what the reader decided about, so
// that of two tabs one is told that the other was faster. An act outlives the request
// that began it, since the second click of two aborts the first. All acts are audited
// under their operation's ID.
//
// Chosen here: an event's body is shown to operators alone. A reservation's end is
// chosen as a duration, which means the same in every zone. Links are relative, so
// that the console works at any path.
package console
