package interaction_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	chat "google.golang.org/api/chat/v1"
)

// TestPayloadsAreWhatTheChatAPISays reads the payloads with Google's own types as
// well: a payload that was made up wrongly, or read differently here, shows.
func TestPayloadsAreWhatTheChatAPISays(t *testing.T) {
	t.Parallel()
	lenient := map[string]bool{
		"chatapi-message-slash-number": true, // a number where the documented form is a string
		"chatapi-unknown-type":         true,
	}
	files, err := filepath.Glob(filepath.Join(payloads, "chatapi-*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no payloads", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if lenient[name] {
			continue
		}
		data := read(t, name)
		got := decode(t, name)
		var want chat.DeprecatedEvent
		if err := json.Unmarshal(data, &want); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if string(got.Type) != want.Type || got.Time != want.EventTime || got.User.Email != want.User.Email || got.Space.Name != want.Space.Name {
			t.Errorf("%s: read %+v, the API's type has %+v", name, got, want)
		}
		if want.Message != nil && got.MessageName != want.Message.Name {
			t.Errorf("%s: message %q, want %q", name, got.MessageName, want.Message.Name)
		}
	}
}

// TestAddOnPartsAreWhatTheChatAPISays does it for the parts of an add-on's event
// for which the Chat API has types.
func TestAddOnPartsAreWhatTheChatAPISays(t *testing.T) {
	t.Parallel()
	type payload struct {
		Message *chat.Message            `json:"message"`
		Space   *chat.Space              `json:"space"`
		Command *chat.AppCommandMetadata `json:"appCommandMetadata"`
	}
	for name, field := range map[string]string{
		"addon-message-groups":    "messagePayload",
		"addon-app-command-slash": "appCommandPayload",
		"addon-button-confirm":    "buttonClickedPayload",
		"addon-added-by-mention":  "addedToSpacePayload",
		"addon-removed-space":     "removedFromSpacePayload",
		"addon-widget-updated":    "widgetUpdatedPayload",
		"addon-message-restart":   "messagePayload",
		"addon-app-command-quick": "appCommandPayload",
		"addon-message-dm-help":   "messagePayload",
		"addon-button-dialog":     "buttonClickedPayload",
	} {
		var outer struct {
			Chat map[string]json.RawMessage `json:"chat"`
		}
		if err := json.Unmarshal(read(t, name), &outer); err != nil {
			t.Fatal(err)
		}
		var want payload
		if err := json.Unmarshal(outer.Chat[field], &want); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := decode(t, name)
		if got.Space.Name != want.Space.Name || want.Message != nil && got.MessageName != want.Message.Name {
			t.Errorf("%s: read %+v", name, got)
		}
	}
}
