package load

import _ "embed"

// Event is one event to guard.
type Event struct {
	Key  string
	Data []byte // its JSON, with the key as "id"
}

//go:embed event.json
var template []byte

// newEvent is the template with the key in front: what the program in JavaScript
// makes too.
func newEvent(key string) Event {
	data := make([]byte, 0, len(template)+len(key)+16)
	data = append(data, `{"id":"`...)
	data = append(data, key...)
	data = append(data, `",`...)
	return Event{Key: key, Data: append(data, template[1:]...)}
}
