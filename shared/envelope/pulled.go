package envelope

import (
	"strings"
	"time"
)

// Pulled is a Pub/Sub message as it was delivered, before any CloudEvent in it
// was read. Fields mean what they mean in Message.
type Pulled struct {
	ID              string
	Data            []byte
	Attributes      map[string]string
	OrderingKey     string
	PublishTime     time.Time
	DeliveryAttempt int
	Subscription    string
}

// FromPulled makes a Message of a pulled one, and takes Data and Attributes
// over: the caller no longer writes to them. A message without an ID is malformed.
func FromPulled(p Pulled) (*Message, error) { return build(p, "") }

// build is the one way to a Message. resource names the topic where only that is
// known; otherwise the subscription stands as the source of a made event.
func build(p Pulled, resource string) (*Message, error) {
	if strings.TrimSpace(p.ID) == "" {
		return nil, malformed("a message ID")
	}
	if p.Attributes == nil {
		p.Attributes = map[string]string{}
	}
	m := &Message{
		Data:            p.Data,
		Attributes:      p.Attributes,
		ID:              p.ID,
		Subscription:    p.Subscription,
		DeliveryAttempt: max(p.DeliveryAttempt, 0),
		OrderingKey:     p.OrderingKey,
		PublishTime:     p.PublishTime,
	}
	if ev, ok := carried(p.Attributes, p.Data); ok {
		m.Event, m.OwnEvent = ev, true
		return m, nil
	}
	if resource == "" {
		resource = p.Subscription
	}
	m.Event = made(p, resource)
	return m, nil
}
