package envelope

import (
	"mime"
	"net/url"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/cloudevents/sdk-go/v2/types"
)

const (
	// publishedType is the type that Eventarc gives to Pub/Sub messages.
	publishedType = "google.cloud.pubsub.topic.v1.messagePublished"
	serviceHost   = "pubsub.googleapis.com"
	servicePrefix = "//" + serviceHost + "/"
)

// made is the event of a message that carries none. Its data are the message's
// bytes as they are, not Eventarc's JSON around them.
func made(p Pulled, resource string) event.Event {
	c := &event.EventContextV1{
		ID:   p.ID,
		Type: publishedType,
		// Put together instead of parsed: this runs for nearly every delivery.
		Source: types.URIRef{URL: url.URL{Host: serviceHost, Path: "/" + resource}},
	}
	if !p.PublishTime.IsZero() {
		c.Time = &types.Timestamp{Time: p.PublishTime}
	}
	if ct := contentType(p.Attributes); ct != "" {
		// Anybody may have written it: one that is none would make the event invalid.
		if _, _, err := mime.ParseMediaType(ct); err == nil {
			c.DataContentType = &ct
		}
	}
	return event.Event{Context: c, DataEncoded: p.Data}
}
