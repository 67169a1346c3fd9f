package envelope

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/cloudevents/sdk-go/v2/types"
)

// fromBinary reads a CloudEvent whose attributes are headers. HTTP's binary mode
// and the Pub/Sub binding's differ in where attributes stand, not in their names.
func fromBinary(h http.Header, body []byte) (*Message, error) {
	attrs := make(map[string]string, 8)
	for name, values := range h {
		lower := strings.ToLower(name)
		if len(values) > 0 && (strings.HasPrefix(lower, attrPrefix) || lower == attrContentType) {
			attrs[lower] = decoded(values[0])
		}
	}
	ev, err := parseBinary(attrs, body)
	if err != nil {
		return nil, malformed("a valid CloudEvent in the ce-* headers")
	}
	return overHTTP(ev, attrs)
}

// decoded undoes the percent-encoding that HTTP's binary mode puts on what a
// header can't hold. A value that isn't encoded properly is taken as it stands.
func decoded(value string) string {
	if plain, err := url.PathUnescape(value); err == nil {
		return plain
	}
	return value
}

func fromStructured(body []byte) (*Message, error) {
	ev, err := parseStructured(body)
	if err != nil {
		return nil, malformed("a valid CloudEvent as JSON")
	}
	return overHTTP(ev, AttributesOf(ev))
}

// overHTTP makes the Message of a CloudEvent that is an envelope itself.
func overHTTP(ev event.Event, attrs map[string]string) (*Message, error) {
	if ev.Type() == publishedType {
		p, err := unwrap(ev.Data())
		if err != nil {
			return nil, err
		}
		return build(p, strings.TrimPrefix(ev.Source(), servicePrefix))
	}
	return &Message{
		Event:      ev,
		OwnEvent:   true,
		Data:       ev.Data(),
		Attributes: attrs,
		ID:         ev.ID(),
	}, nil
}

// AttributesOf writes ev's attributes as the Pub/Sub binding's binary mode does:
// ce-* and content-type, lower case, values as they are. Empty ones are left out.
func AttributesOf(ev event.Event) map[string]string {
	attrs := map[string]string{
		attrSpecVersion: ev.SpecVersion(),
		"ce-id":         ev.ID(),
		"ce-source":     ev.Source(),
		"ce-type":       ev.Type(),
	}
	optional := map[string]string{
		attrContentType: ev.DataContentType(),
		"ce-subject":    ev.Subject(),
		"ce-dataschema": ev.DataSchema(),
	}
	if !ev.Time().IsZero() {
		optional["ce-time"] = ev.Time().UTC().Format(time.RFC3339Nano)
	}
	for name, value := range ev.Extensions() {
		if text, err := types.Format(value); err == nil {
			optional[attrPrefix+name] = text
		}
	}
	for name, value := range optional {
		if value != "" {
			attrs[name] = value
		}
	}
	return attrs
}
