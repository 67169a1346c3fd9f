package once

import (
	"unicode/utf8"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/envelope"
	"onceway.internal/shared/letter"
)

// maxKey is what a key may have as it is: it travels as a message attribute, whose
// value Pub/Sub bounds at 1,024 bytes of UTF-8.
const maxKey = 512

// freeze decides the key, once, before the handler can touch anything: the
// publisher's own key, else the CloudEvent's identity where the message carries one,
// else the handler's rule, else the Pub/Sub message ID.
func freeze(m *envelope.Message, plan Plan) string {
	key := m.ID
	switch {
	case m.Attributes[letter.AttrKey] != "":
		key = m.Attributes[letter.AttrKey]
	case m.OwnEvent:
		// A source is a URI reference, which holds no space: nothing else reads the same.
		key = m.Event.Source() + " " + m.Event.ID()
	case plan.Key != "":
		key = plan.Key
	}
	if len(key) > maxKey || !utf8.ValidString(key) {
		key = "sha256:" + claim.PayloadHash([]byte(key))
	}
	return key
}
