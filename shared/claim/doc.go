// Package claim keeps the record that says who may act on an event, and how far
// that got. It holds the record, the one state machine over it and the Store port;
// the backends live in packages of their own below it.
//
//	(absent) --create-if-absent--> CLAIMED (at-most-once: EFFECT at once)
//	CLAIMED  --begin-------------> EFFECT
//	CLAIMED, RETRY, or a repeatable EFFECT --takeover--> CLAIMED or EFFECT, epoch+1
//	CLAIMED, EFFECT --finish-----> DONE
//	CLAIMED, or a repeatable EFFECT --release--> RETRY
//	at-most-once EFFECT --release, certainly no effect--> RETRY
//	at-most-once EFFECT --park---> INDETERMINATE
//	CLAIMED, or a repeatable EFFECT --bury--> DEAD
//	INDETERMINATE --finish by its own owner--> DONE
//	INDETERMINATE --settle-------> DONE or RETRY, epoch+1
//	DEAD     --replay------------> RETRY, epoch+1
//
// Every arrow is one entry of the table in transition.go and one compare-and-swap
// on the version that was read. A write whose reply was lost is ours only if the
// record then holds the write ID that we put in it.
//
// Chosen here: the policy is stored in the record, so that a claim is judged by what
// its owner promised even if a newer release promises less; a person's or Verify's
// RETRY raises the epoch as a replay does, so that each letter belongs to one epoch.
package claim
