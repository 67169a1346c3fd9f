package client

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/route"
)

// learnEvery is how often the groups are asked for.
const learnEvery = time.Minute

// known is the groups as the service last told.
type known struct {
	at       time.Time // the service's time, and ours when it told
	told     time.Time
	overflow string
	config   groups.Config
	live     groups.Live
	topics   map[string]string
	capacity map[string]float64
}

type told struct {
	At       time.Time
	Overflow string
	Groups   []struct {
		Group, Topic string
		Capacity     float64
		Draining     bool
		Reservation  *struct {
			Customers []string
			Until     time.Time
		}
	}
}

// learn fetches the groups when that was not tried within a minute. A failure
// keeps what was known.
func (c *Client) learn(ctx context.Context) {
	c.mu.Lock()
	now := c.cfg.Now()
	due := c.fetched.IsZero() || now.Sub(c.fetched) >= learnEvery
	if due {
		c.fetched = now
	}
	c.mu.Unlock()
	if !due {
		return
	}
	var t told
	if err := c.once(ctx, http.MethodGet, "/v1/groups", nil, &t); err != nil || t.At.IsZero() {
		return // it may not know its groups' reservations itself
	}
	k := t.known(now)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = k
}

func (t told) known(now time.Time) *known {
	k := &known{
		at: t.At, told: now, overflow: t.Overflow, topics: make(map[string]string), capacity: make(map[string]float64),
		live: groups.Live{Reservations: make(map[string]groups.Reservation), Draining: make(map[string]groups.Drain)},
	}
	for _, g := range t.Groups {
		k.config.Groups = append(k.config.Groups, groups.Group{ID: g.Group})
		k.topics[g.Group], k.capacity[g.Group] = g.Topic, g.Capacity
		if g.Draining {
			k.live.Draining[g.Group] = groups.Drain{}
		}
		if r := g.Reservation; r != nil {
			k.live.Reservations[g.Group] = groups.Reservation{Group: g.Group, Customers: r.Customers, Until: r.Until}
		}
	}
	return k
}

// fallBack answers without the service; cause is why.
func (c *Client) fallBack(campaign Campaign, cause error) (Answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.known
	if k == nil {
		return Answer{Topic: c.cfg.DefaultTopic, Rule: string(route.ByStateDownDefault), Reason: reason(cause, "no groups known: the default topic")}, nil
	}
	now := k.at.Add(c.cfg.Now().Sub(k.told))
	var ids []string
	var weights []float64
	for _, s := range groups.Eligible(k.config, k.live, campaign.Customer, now) {
		if w := k.capacity[s.Group.ID]; s.Why == "" && w > 0 {
			ids, weights = append(ids, s.Group.ID), append(weights, w)
		}
	}
	if len(ids) == 0 && k.overflow == "" {
		return Answer{}, fmt.Errorf("assign %s: %w", campaign.ID, ErrNoGroup)
	}
	if len(ids) == 0 {
		return Answer{Topic: k.overflow, Rule: string(route.ByOverflow), Reason: reason(cause, "every group is closed to this customer")}, nil
	}
	id := ids[c.rotation.Next(ids, weights, c.cfg.Rand)]
	return Answer{
		Group: id, Topic: k.topics[id], Rule: string(route.ByStateDown),
		Reason: reason(cause, fmt.Sprintf("in turn among %d, by capacity, reservations as last known", len(ids))),
	}, nil
}

func reason(cause error, what string) string {
	return fmt.Sprintf("the assignment service does not answer (%v): %s", cause, what)
}
