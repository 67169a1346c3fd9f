// Package route sends a campaign to the distribution group that will finish it
// first, though the figures it sees are minutes old.
//
// # What is whose
//
// Score (the scheduled function) reads a source of figures and calls, in order:
// State.Read, Figure.Next for every queue, Board.PutFigures, then with the
// merged figures Rank, ExpectedBacklog and Recommend, and writes what they
// answer with Board.PutRecommendations and Board.PutHistory.
//
// Assign and Campaigns use a Router: Router.Assign chooses and records,
// Router.Preview chooses and changes nothing.
//
// The simulator drives Router with memroute and a clock of its own, and Score's
// pure functions: Figure.Next, Rank, Recommend.
//
// People change the live settings with Adjust.
//
// The console reads State.Read, Rank, Board.History and Board.Recent.
//
// # How a choice is made
//
// A group's figures say how long it needs to be empty at its sample time τ. What
// was routed to it since stands in the ledger: the sizes of campaigns in buckets
// of ten seconds. The ledger is replayed in order from τ, draining between the
// entries at a part (Settings.DrainTrust) of the group's rate, and the campaign
// goes to the lowest result, at random among those within five percent of it.
//
// Every figure has a Data state and every answer a Rule; see their constants.
//
// # Time
//
// Sample times, ledger buckets and ends of reservations are all times of the
// store or of Monitoring. A router knows the store's time from its last read
// plus what has elapsed since on its monotonic clock; host clocks are never
// compared with them.
//
// Chosen here:
//   - A later queue that never had a series counts as empty, since its work is
//     seen upstream; a group has data state never only when its first queue has.
//     Otherwise a group is in the worst state of its queues.
//   - A stale figure is held for 30 minutes (Horizon, also as far as the ledger is
//     read), a missing one for 10; beyond that the group gets a capacity share.
//   - Groups without any series are probed only beside groups that have one;
//     without those, everybody gets a capacity share.
//   - A campaign of unknown size counts as Settings.TypicalSize messages.
//   - A campaign that no group may take, where no overflow topic is configured,
//     is refused with ErrNoGroup: a reservation is never broken.
//   - A rate is learned only from a time in which the queue can't have run empty:
//     what was acknowledged was all there at its start. A backlog at both ends is
//     not enough: a queue that idles between campaigns looked slow, and balanced
//     groups got a sixth slower in simulation. More than the known rate is
//     believed whenever it is seen, so that a group recovers.
//   - The ledger keeps the largest campaign of a bucket, which sets its publish
//     window.
package route
