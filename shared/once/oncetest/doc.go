// Package oncetest says what whole events may cost at a claim store, as a test that
// every backend runs with a count of its own at the wire.
package oncetest
