// Package claimtest says what a claim store must do, as tests that every backend
// runs, and makes stores fail on purpose.
//
// Run takes a Harness and runs the whole suite. A backend's test file opens its
// store and calls Run; nothing else is needed.
//
// Faulty wraps a store and breaks chosen calls: the reply lost before or after
// the write happened, the store down, a call held up at either side. What breaks
// depends on the count of calls alone, never on time or chance.
package claimtest
