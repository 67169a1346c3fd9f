package interaction

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrUnreadable says that data is not a Chat event of either shape.
var ErrUnreadable = errors.New("not a Chat event")

// head is what tells the shapes apart and is read first, so that an unknown type
// is never refused for the form of its other fields.
type head struct {
	Type    loose           `json:"type"`
	EventID loose           `json:"eventId"`
	Event   loose           `json:"event_id"`
	Chat    json.RawMessage `json:"chat"`
	Common  json.RawMessage `json:"commonEventObject"`
}

// Decode reads an event of either shape. It answers ErrUnreadable when data is
// no JSON object, or when a field of a known type has a form that is not Chat's.
func Decode(data []byte) (Event, error) {
	var h head
	if err := json.Unmarshal(data, &h); err != nil {
		return Event{}, unreadable(err)
	}
	e := Event{Shape: ChatAPI, Type: Type(h.Type), ID: string(h.EventID), Parameters: map[string]string{}}
	if e.ID == "" {
		e.ID = string(h.Event)
	}
	var err error
	switch {
	case len(h.Chat) > 0 && string(h.Chat) != "null":
		e.Shape = AddOn
		err = e.readAddOn(h)
	case e.Type.Known():
		err = e.readChatAPI(data)
	}
	if err != nil {
		return Event{}, unreadable(err)
	}
	return e, nil
}

// unreadable keeps the place and kind of a fault but none of the text around it:
// what people wrote must not reach logs through an error.
func unreadable(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%w: broken JSON at byte %d", ErrUnreadable, syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Errorf("%w: field %q holds a %s", ErrUnreadable, kind.Field, jsonKind(kind.Value))
	}
	return ErrUnreadable
}

// jsonKind cuts "number 5" to "number".
func jsonKind(value string) string {
	for i, c := range value {
		if c == ' ' {
			return value[:i]
		}
	}
	return value
}
