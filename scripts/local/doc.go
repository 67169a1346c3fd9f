// Command local runs the whole of onceway on one machine, with live sample traffic,
// and shows what it does. scripts/run builds and starts it.
//
// By default everything is in this one process: Pub/Sub in memory with a push bridge,
// memory stores, the functions over real HTTP, two pulling workers. With --emulators
// Pub/Sub and Firestore are Google's emulators, and every function and worker is a
// process. Monitoring is a stand-in over real gRPC either way, with its sampling and
// lag scaled down thirty times.
//
// While it publishes, about a fifth of all messages is delivered again, some receivers
// fail at their first try, some messages can't be read, and one worker is lost in
// mid-handler. What came of it is counted by a witness (test/witness), not by what is
// being shown. After --for it publishes no more, and waits up to a minute until every
// event acted or was kept.
package main
