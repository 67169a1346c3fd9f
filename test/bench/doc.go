// Command bench measures what Onceway costs beside what it guards, and beside what
// others do for the same promise. Run it by scripts/bench; RESULTS.md's figures come
// from it.
//
// Every figure is a ratio of two things measured side by side in one run, in rounds
// that alternate: absolute times on a shared machine mean little. A bench is a row in
// the table of benches; its time is bounded, so that all of them take ten minutes.
package main
