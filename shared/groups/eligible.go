package groups

import "time"

// Why a group may not take a customer's campaign. Empty means that it may.
type Why string

// The reasons.
const (
	Draining      Why = "draining"          // takes no new campaigns
	ReservedAway  Why = "reserved"          // kept for other customers
	HasOwnGroups  Why = "customer-reserved" // the customer has groups of its own
	NotMarkedOpen Why = "not-open"          // reservations can't be read, and it is not marked open
)

// Standing is one group as it stands to one customer.
type Standing struct {
	Group Group
	Why   Why // empty: eligible
	// Reservation that holds now; nil for none.
	Reservation *Reservation
}

// Eligible says for every group, in the file's order, whether it may take a
// campaign of customer at now (store time). A reserved group takes only its
// customers, and they go nowhere else unless all their groups are draining.
func Eligible(c Config, l Live, customer string, now time.Time) []Standing {
	all := make([]Standing, len(c.Groups))
	own := false
	for i, g := range c.Groups {
		s := Standing{Group: g}
		if r, ok := l.Reservations[g.ID]; ok && !r.Ended(now) {
			s.Reservation = &r
		}
		_, draining := l.Draining[g.ID]
		switch {
		case draining:
			s.Why = Draining
		case s.Reservation == nil:
		case s.Reservation.For(customer):
			own = true
		default:
			s.Why = ReservedAway
		}
		all[i] = s
	}
	if own {
		for i := range all {
			if all[i].Why == "" && all[i].Reservation == nil {
				all[i].Why = HasOwnGroups
			}
		}
	}
	return all
}

// OnlyOpen is Eligible for when reservations can't be read and none are known:
// just the groups marked open.
func OnlyOpen(c Config) []Standing {
	all := make([]Standing, len(c.Groups))
	for i, g := range c.Groups {
		all[i] = Standing{Group: g}
		if !g.Open {
			all[i].Why = NotMarkedOpen
		}
	}
	return all
}
