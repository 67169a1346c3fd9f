package envelope

import (
	"bytes"
	"maps"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
)

// Message is one delivery, whichever form it arrived in: a wrapped or unwrapped
// Pub/Sub push, a binary or structured CloudEvent, or a pulled message.
//
// A Message is made once, at decode time. Whoever holds it may read it from any
// goroutine; nobody writes to it. Handlers get a copy (see Clone).
type Message struct {
	// Event is what the handler works with. Where the message carries no
	// CloudEvent of its own, it is made from the Pub/Sub wrapper.
	Event event.Event

	// OwnEvent says that the message carried a CloudEvent of its own, so that
	// source and id identify the event across republishing. Eventarc's wrapper
	// (source "//pubsub.googleapis.com/…") is not one.
	OwnEvent bool

	// Data are the message's data bytes as published, before any CloudEvent in
	// them was read. The payload hash covers just these.
	Data []byte

	// Attributes are the Pub/Sub message attributes. Never nil.
	Attributes map[string]string

	// ID is the Pub/Sub message ID, unique within its topic; a republished
	// message has a new one.
	ID string

	// Subscription is "projects/P/subscriptions/S", or empty when the form of
	// delivery does not tell.
	Subscription string

	// DeliveryAttempt counts from 1, best effort; 0 means unknown (the
	// subscription has no dead-letter policy).
	DeliveryAttempt int

	// OrderingKey is empty unless the publisher set one.
	OrderingKey string

	// PublishTime is the time the Pub/Sub service took the message; zero when unknown.
	PublishTime time.Time
}

// Clone returns a copy that shares nothing mutable with m.
func (m *Message) Clone() *Message {
	c := *m
	c.Data = bytes.Clone(m.Data)
	c.Attributes = maps.Clone(m.Attributes)
	head := m.Event
	head.DataEncoded = nil
	c.Event = head.Clone()
	if same(m.Event.DataEncoded, m.Data) { // a made event's data are the message's
		c.Event.DataEncoded = c.Data
	} else {
		c.Event.DataEncoded = bytes.Clone(m.Event.DataEncoded)
	}
	return &c
}

// same reports whether a and b are the same bytes in memory.
func same(a, b []byte) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }
