package envelope

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/cloudevents/sdk-go/v2/types"
)

const (
	attrPrefix      = "ce-"
	attrSpecVersion = "ce-specversion"
	attrContentType = "content-type"
)

// carried reads the CloudEvent that a Pub/Sub message carries by the protocol
// binding. It answers false where there is none, where it is broken, and where it
// is only Pub/Sub's own wrapper.
func carried(attrs map[string]string, data []byte) (event.Event, bool) {
	if len(attrs) == 0 {
		return event.Event{}, false
	}
	var (
		ev  event.Event
		err error
	)
	switch {
	case isStructured(contentType(attrs)):
		ev, err = parseStructured(data)
	case attrs[attrSpecVersion] != "":
		ev, err = parseBinary(attrs, data)
	default:
		return event.Event{}, false
	}
	if err != nil || isWrapper(ev) {
		return event.Event{}, false
	}
	return ev, true
}

// isWrapper reports whether ev is Eventarc's envelope around a Pub/Sub message:
// its id is the message's, so it identifies nothing across republishing.
func isWrapper(ev event.Event) bool {
	return ev.Type() == publishedType && strings.HasPrefix(ev.Source(), servicePrefix)
}

// contentType finds the content type among attributes. The binding writes it in
// lower case, the Go SDK's Pub/Sub sender as in HTTP.
func contentType(attrs map[string]string) string {
	if ct, ok := attrs[attrContentType]; ok {
		return ct
	}
	return attrs[contentTypeHeader]
}

func parseBinary(attrs map[string]string, data []byte) (event.Event, error) {
	version := attrs[attrSpecVersion]
	if version != event.CloudEventsVersionV1 && version != event.CloudEventsVersionV03 {
		return event.Event{}, errors.New("unknown specversion")
	}
	ev := event.New(version)
	for k, v := range attrs {
		name, ok := strings.CutPrefix(k, attrPrefix)
		if !ok {
			continue
		}
		if err := setAttribute(&ev, name, v); err != nil {
			return event.Event{}, err
		}
	}
	if ct := contentType(attrs); ct != "" {
		ev.SetDataContentType(ct)
	}
	ev.DataEncoded = data
	return ev, ev.Validate()
}

// setAttribute leaves most of its errors in the event, for Validate.
func setAttribute(ev *event.Event, name, value string) error {
	switch name {
	case "specversion":
	case "id":
		ev.SetID(value)
	case "type":
		ev.SetType(value)
	case "source":
		ev.SetSource(value)
	case "subject":
		ev.SetSubject(value)
	case "dataschema":
		ev.SetDataSchema(value)
	case "time":
		t, err := types.ParseTime(value)
		if err != nil {
			return err
		}
		ev.SetTime(t)
	default:
		ev.SetExtension(name, value)
	}
	return nil
}

// parseStructured recovers, since the SDK's reader panics on a data_base64 that
// is no string.
func parseStructured(data []byte) (ev event.Event, err error) {
	defer func() {
		if recover() != nil {
			ev, err = event.Event{}, errors.New("event can't be read")
		}
	}()
	if err := json.Unmarshal(data, &ev); err != nil {
		return event.Event{}, err
	}
	if media := ev.DataMediaType(); !ev.DataBase64 && (media == "" || strings.HasSuffix(media, "json")) {
		ev.DataEncoded = bytes.TrimSpace(ev.DataEncoded) // the SDK keeps the space after "data":
	}
	return ev, ev.Validate()
}
