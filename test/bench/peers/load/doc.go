// Package load drives one way of running work once, in a process of its own, by
// the orders of a bench: a line of JSON on standard input for each, a line of
// JSON on standard output for its report.
//
// It knows three orders. "first" calls with events that are new, "repeat" with
// events that ran before, both from a number of callers that each wait for their
// answer, for a time. "race" brings each of a few new events from all callers at
// once. In every one the function that is guarded counts its runs, so that a
// report tells whether the way really deduplicates; a report with a fault is no
// figure.
//
// It imports the standard library alone, since peers in modules of their own use
// it. The program in powertools is the same in JavaScript.
package load
