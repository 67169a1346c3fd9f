package webhook

import (
	"encoding/json"
	"mime"
	"strings"
	"unicode/utf8"

	"onceway.internal/shared/chatops"
)

// maxSpoken bounds what a tool may say in Chat, in bytes.
const maxSpoken = 1500

// spoken is what a tool's answer says to people: plain text, or the field "text"
// of a JSON object; shown inert and bounded.
func spoken(contentType string, body []byte) string {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || len(body) == 0 {
		return ""
	}
	var text string
	switch kind {
	case "text/plain":
		text = string(body)
	case "application/json":
		var o struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(body, &o) != nil {
			return ""
		}
		text = o.Text
	}
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	if text == "" {
		return ""
	}
	if len(text) > maxSpoken {
		text = text[:maxSpoken]
		for !utf8.ValidString(text) {
			text = text[:len(text)-1]
		}
		text += "…"
	}
	return chatops.Block(strings.Split(text, "\n"))
}
