// Package chaos kills workers: on Google's Pub/Sub emulator, with claims in each store
// in turn, real worker processes handle events that come twice, and one process is
// killed with SIGKILL each second and started again. Handlers last 5 to 200 ms, half
// of it before the effect and half after, so that kills land on either side of it.
//
// Four processes serve each of the two policies (a policy is a process's, not a
// subscription's), and the kills go round all eight. What happened is counted by the
// receiving service and a dead-letter subscription of the witness's own. A control run
// has the same traffic and the same kills, but subscribers that know no claims: it has
// to act twice, or the suite would prove nothing. So have workers that are built with a
// bug; those run in the full form only.
//
// What a killed worker held is delivered again at once, as push does it: it meets the
// claim while the lease of its dead owner goes on.
//
// Tests are under the build tag chaos. With ONCEWAY_TEST_SHORT=1 there are fewer
// events and two processes for each policy. ONCEWAY_TEST_WORKER names a worker that was
// built already.
package chaos
