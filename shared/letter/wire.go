package letter

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/publish"
)

// More attributes on a published letter, and bounds that Pub/Sub sets.
const (
	attrID       = "onceway-letter"
	attrOrdering = "onceway-ordering-key"
	attrPacked   = "onceway-packed"
	attrPrefix   = "onceway-"

	maxAttributes = 100
	ownAttributes = 16
)

// What Pub/Sub's own dead-letter policy writes on what it forwards.
const (
	sourcePrefix  = "CloudPubSubDeadLetterSource"
	sourceSub     = sourcePrefix + "Subscription"
	sourceProject = sourcePrefix + "SubscriptionProject"
	sourceCount   = sourcePrefix + "DeliveryCount"
)

// packed is the body of a letter whose event has so many attributes that ours would
// not fit beside them.
type packed struct {
	Attributes map[string]string `json:"attributes"`
	Data       []byte            `json:"data"`
}

// Topic publishes letters to one dead-letter topic.
type Topic struct {
	Publisher publish.Publisher
	Name      string // "projects/P/topics/T"
}

// Publish blocks until the topic has the letter.
func (t Topic) Publish(ctx context.Context, l Letter) error {
	m, err := Message(l)
	if err == nil {
		_, err = t.Publisher.Publish(ctx, t.Name, m)
	}
	return err
}

// Message is how a letter stands on the dead-letter topic: the event's data and
// attributes, with ours beside them.
func Message(l Letter) (publish.Message, error) {
	m := publish.Message{Data: l.Data, Attributes: make(map[string]string, len(l.Attributes)+ownAttributes)}
	if len(l.Attributes)+ownAttributes > maxAttributes {
		body, err := json.Marshal(packed{l.Attributes, l.Data})
		if err != nil {
			return m, fmt.Errorf("pack letter: %w", err)
		}
		m.Data, m.Attributes[attrPacked] = body, "1"
	} else {
		maps.Copy(m.Attributes, l.Attributes)
	}
	for k, v := range map[string]string{
		attrID: l.ID, AttrKey: l.Key, AttrHandler: l.Handler, AttrReason: l.Reason,
		AttrAttempts: strconv.Itoa(l.Attempts), AttrEpoch: strconv.FormatInt(l.Epoch, 10),
		AttrSource: l.Source, AttrTopic: l.Topic, AttrMessage: l.MessageID,
		AttrError: claim.Cut(l.Error, claim.MaxError), attrOrdering: l.OrderingKey,
	} {
		if delete(m.Attributes, k); v != "" {
			m.Attributes[k] = v
		}
	}
	return m, nil
}

// FromMessage reads a letter off a dead-letter topic, ours or one that Pub/Sub's own
// policy forwarded. It never refuses one: what it can't tell stays empty.
func FromMessage(m *envelope.Message) Letter {
	a := m.Attributes
	l := Letter{
		ID: a[attrID], Key: a[AttrKey], Handler: a[AttrHandler], Reason: a[AttrReason],
		Source: a[AttrSource], Topic: a[AttrTopic], Error: a[AttrError],
		MessageID: m.ID, Attributes: map[string]string{}, OrderingKey: m.OrderingKey,
		Data: m.Data, PublishedAt: m.PublishTime,
	}
	l.Attempts, _ = strconv.Atoi(a[AttrAttempts])
	l.Epoch, _ = strconv.ParseInt(a[AttrEpoch], 10, 64)
	if o := a[attrOrdering]; o != "" {
		l.OrderingKey = o
	}
	for k, v := range a {
		if !strings.HasPrefix(k, attrPrefix) && !strings.HasPrefix(k, sourcePrefix) {
			l.Attributes[k] = v
		}
	}
	if a[attrPacked] != "" {
		var p packed
		if json.Unmarshal(m.Data, &p) == nil {
			l.Attributes, l.Data = p.Attributes, p.Data
		}
	}
	l.PayloadHash = claim.PayloadHash(l.Data)
	forwarded(&l, m)
	return l
}

// forwarded fills in a letter that Pub/Sub itself forwarded: it got a new message ID,
// and only a key that the publisher or a CloudEvent gave it is still known.
func forwarded(l *Letter, m *envelope.Message) {
	if l.Reason != "" && l.ID != "" {
		return
	}
	l.Reason = Forwarded
	if sub := m.Attributes[sourceSub]; sub != "" {
		l.Source = "projects/" + m.Attributes[sourceProject] + "/subscriptions/" + sub
		l.Attempts, _ = strconv.Atoi(m.Attributes[sourceCount])
	}
	if l.Key == "" && m.OwnEvent {
		l.Key = m.Event.Source() + " " + m.Event.ID()
	}
	l.ID = ForeignID(m.Subscription, m.ID)
}

// Again is the event as it is published again: with its key, for its handler alone.
func Again(l Letter, key, handler string) publish.Message {
	m := publish.Message{Data: l.Data, Attributes: maps.Clone(l.Attributes), OrderingKey: l.OrderingKey}
	if m.Attributes == nil {
		m.Attributes = map[string]string{}
	}
	m.Attributes[AttrKey] = key
	if delete(m.Attributes, AttrHandler); handler != "" {
		m.Attributes[AttrHandler] = handler
	}
	return m
}
