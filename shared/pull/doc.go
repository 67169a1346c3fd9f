// Package pull hands the messages of a pull subscription to a receiver, and answers
// Pub/Sub by the receiver's outcome: what push answers by status, it acks or nacks.
//
// Acknowledgements are awaited, so that on a subscription with exactly-once delivery a
// refused one is seen. It does no harm: the message comes again and meets its claim.
package pull
