// Command sim shows what routing is worth: a discrete-event simulation of groups
// and their queues, in which the product's own route package chooses.
//
//	go run ./test/sim [--json] [--regime NAME,NAME] [--seeds N] [--first-seed N] [--out DIR]
//	go run ./test/sim --draw DIR
//
// regimes.yaml says what is simulated. Messages move in chunks through four
// queues of each group, first come, first served, at rates that may fall without
// anybody being told. Samples of the queues are taken, become visible, and are
// turned into figures by the rules that the Score function uses; campaigns come to
// several routers on one state in memory, all on the simulation's clock.
//
// The policies random, capacity-random and oracle exist here alone. The oracle
// knows, at once, what stands in every queue, what is still being published, and
// the rates as they are now; it does not know the future.
package main
