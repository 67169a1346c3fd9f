package groups

import (
	"slices"
	"time"
)

// Reservation keeps a group for named customers.
type Reservation struct {
	Group     string
	Customers []string  // sorted, not empty
	Since     time.Time // store time
	Until     time.Time // exclusive; zero means until it is released
	Note      string
	By        string // who reserved it
}

// Ended reports whether the reservation no longer holds at now.
func (r Reservation) Ended(now time.Time) bool {
	return !r.Until.IsZero() && !now.Before(r.Until)
}

// For reports whether the group is kept for customer.
func (r Reservation) For(customer string) bool { return slices.Contains(r.Customers, customer) }

// Drain says that a group takes no new campaigns.
type Drain struct {
	Since time.Time
	Note  string
	By    string
}

// Live is what people change at run time. It is one value with one version, so
// that every change is a compare-and-swap on all of it.
type Live struct {
	Reservations map[string]Reservation // by group
	Draining     map[string]Drain       // by group
	// Seeded holds the groups whose initial reservation was created once: a
	// reservation that a person released does not come back.
	Seeded map[string]bool
	// Applied holds the operations of the latest changes, oldest first: see Book.Once.
	Applied []string `json:",omitempty"`
	// Version is opaque; empty when nothing was ever stored.
	Version string `json:"-"`
	// ReadAt is the store's time of this answer: ends of reservations are
	// measured against it.
	ReadAt time.Time `json:"-"`
}

// Clone returns a copy that shares nothing mutable.
func (l Live) Clone() Live {
	c := l
	c.Reservations = make(map[string]Reservation, len(l.Reservations))
	for id, r := range l.Reservations {
		r.Customers = slices.Clone(r.Customers)
		c.Reservations[id] = r
	}
	c.Draining = make(map[string]Drain, len(l.Draining))
	for id, d := range l.Draining {
		c.Draining[id] = d
	}
	c.Seeded = make(map[string]bool, len(l.Seeded))
	for id, s := range l.Seeded {
		c.Seeded[id] = s
	}
	c.Applied = slices.Clone(l.Applied)
	return c
}
