// Package backlog says how many messages wait in a queue, and when that was true.
//
// A Source hides where the figures come from: monitoring reads Cloud Monitoring,
// minutes old but there for every subscription; counters reads live counters
// that workers keep, corrected by what Cloud Monitoring says later.
//
// Chosen here: a queue without a figure is absent from a Reading, never zero, and
// a failing project costs only its own queues. Who reads decides what to do
// without a figure; see the data states of package route.
package backlog
