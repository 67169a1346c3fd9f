package envelope

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

const wrappedForm = `{"message":{"messageId":…,"data":…,"attributes":…},"subscription":…}`

// wrapped is a push body while it is read. The service writes some fields under
// two names; the camel-case one wins where they differ.
type wrapped struct {
	Pulled
	snakeID, snakeTime string
	camelTime          string
	found              bool // "message" was there
	badData            bool
}

// unwrap reads the JSON that Pub/Sub wraps around a pushed message, which is also
// the data of Eventarc's messagePublished. The answer shares nothing with body.
func unwrap(body []byte) (Pulled, error) {
	var w wrapped
	s := scanner{b: body}
	s.object(func(key []byte) {
		switch string(key) {
		case "message":
			if w.found { // which of the two is meant?
				s.fail()
				return
			}
			w.found = true
			w.message(&s)
		case "subscription":
			w.Subscription = s.str()
		case "deliveryAttempt":
			w.DeliveryAttempt = integer(&s)
		default:
			s.skip(0)
		}
	})
	s.end()
	switch {
	case s.bad:
		return Pulled{}, malformed("a CloudEvent, x-goog-pubsub-* headers or JSON like %s", wrappedForm)
	case !w.found:
		return Pulled{}, malformed(`"message" in JSON like %s`, wrappedForm)
	case w.badData:
		return Pulled{}, malformed("message.data in base64")
	}
	if w.ID == "" {
		w.ID = w.snakeID
	}
	if w.ID == "" {
		return Pulled{}, malformed("message.messageId")
	}
	w.PublishTime = firstTime(w.camelTime, w.snakeTime)
	return w.Pulled, nil
}

func (w *wrapped) message(s *scanner) {
	s.object(func(key []byte) {
		switch string(key) {
		case "data":
			w.data(s)
		case "attributes":
			w.attributes(s)
		case "messageId":
			w.ID = s.str()
		case "message_id":
			w.snakeID = second(s, w.ID)
		case "publishTime":
			w.camelTime = s.str()
		case "publish_time":
			w.snakeTime = second(s, w.camelTime)
		case "orderingKey":
			w.OrderingKey = s.str()
		default:
			s.skip(0)
		}
	})
}

// second consumes a value that stands under two names, and makes a string of it
// only where the first was not seen yet.
func second(s *scanner, first string) string {
	if first != "" {
		s.skip(0)
		return ""
	}
	return s.str()
}

func (w *wrapped) attributes(s *scanner) {
	w.Attributes = nil
	if s.null() {
		return
	}
	w.Attributes = map[string]string{}
	s.object(func(key []byte) { w.Attributes[string(key)] = s.str() })
}

func (w *wrapped) data(s *scanner) {
	w.Data, w.badData = nil, false
	if s.null() {
		return
	}
	raw, encoded := s.text()
	if encoded {
		raw = []byte(unescape(raw))
	}
	data, err := decodeBase64(raw)
	w.Data, w.badData = data, err != nil
}

// decodeBase64 takes every alphabet that JSON of protocol buffers may use; the
// service itself sends the standard one, padded.
func decodeBase64(raw []byte) ([]byte, error) {
	out := make([]byte, base64.StdEncoding.DecodedLen(len(raw)))
	n, err := base64.StdEncoding.Decode(out, raw)
	if err == nil {
		return out[:n], nil
	}
	text := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(string(raw)), "=")
	return base64.RawStdEncoding.DecodeString(text)
}

// integer consumes any value and answers it where it is a whole number, as such
// or in quotes.
func integer(s *scanner) int {
	start := s.i
	s.skip(0)
	if s.bad {
		return 0
	}
	text := strings.Trim(string(s.b[start:s.i]), " \t\r\n\"")
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0
	}
	return int(n)
}

func firstTime(texts ...string) time.Time {
	for _, text := range texts {
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
			return t
		}
	}
	return time.Time{}
}
