// Package explore visits every state within stated bounds of the real claim code:
// once.Runner, claim.Machine and settle.Settler over the memory store. All of it is
// test code; the rest of the package is in its _test files.
//
// Each delivery, sweep and person is a process, run as a coroutine. It stops before
// everything that the outside could see or spoil: each call of the store, each
// publication, each letter, the effect, the question to Verify, the acknowledgement.
// A schedule is a list of choices: which process goes on and with what fault, when an
// event is delivered, when time passes, which host dies. A process that is not chosen
// while time passes is a paused one; chosen later, it is a zombie. The search is
// breadth first over schedules, each played from the start, so that the first
// violation comes with a shortest trace; states seen before are not gone into again.
//
// The bounds of a search are printed with it: how many deliveries each of two hosts
// gets, how many faults, failures of the handler, sweeps and people, late duplicates,
// and how often a process is left for another while it could go on (one that ended, died
// or is paused while time passes costs nothing).
//
// A write that fails may have happened (its reply was lost), may never happen, or
// may still happen at any later moment while its sender already goes on without it.
//
// Chosen here, to visit no state twice under two names: Sleep does not stop a process
// (the call after it does), a negative acknowledgement changes nothing, the lists that
// Sweep only reports from are read without stopping, and where a host dies all its
// processes do. What a wrong implementation would do is planted by wrapping the ports;
// the code under test has no hooks for it.
//
// What is checked is checked by the world around the code, from what was really
// written, published and done: see check_test.go.
package explore
