// Package client asks the assignment service, and knows what to do when it does
// not answer: the caller still gets a topic.
//
// While the service is down or too slow, Assign goes round the groups by capacity
// with the reservations as last known (rule state-down-round-robin), and with none
// known gives the default topic (state-down-default). Such answers are not
// recorded: a repeat may be answered otherwise. A campaign that no group may take
// gives the overflow topic, or ErrNoGroup. A request that the service refuses is
// an error.
//
// What was last known is fetched along with Assign, at most once a minute.
package client
