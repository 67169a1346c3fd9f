package interaction_test

import (
	"strings"
	"testing"

	"onceway.internal/shared/chatops/interaction"
)

func TestKeyTakesTheFirstRuleThatApplies(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"chatapi-message-with-eventId":   "evt-0001",
		"chatapi-message-with-event_id":  "evt-0002",
		"addon-message-with-eventId":     "evt-0003",
		"chatapi-message-groups":         "spaces/AAAAops/messages/m1.m1",
		"chatapi-unknown-type":           "", // nothing in it can be trusted to tell two apart
		"foreign-workspace-event":        "",
		"addon-unknown-payload":          "",
		"chatapi-message-slash-restart":  decode(t, "chatapi-message-slash-restart").MessageName,
		"addon-message-restart":          decode(t, "addon-message-restart").MessageName,
		"chatapi-message-mistyped":       decode(t, "chatapi-message-mistyped").MessageName,
		"chatapi-message-nothing-asked":  decode(t, "chatapi-message-nothing-asked").MessageName,
		"chatapi-message-outside-user":   decode(t, "chatapi-message-outside-user").MessageName,
		"chatapi-message-smart-quotes":   decode(t, "chatapi-message-smart-quotes").MessageName,
		"addon-message-dm-help":          decode(t, "addon-message-dm-help").MessageName,
		"chatapi-message-slash-number":   decode(t, "chatapi-message-slash-number").MessageName,
		"chatapi-message-from-bot":       decode(t, "chatapi-message-from-bot").MessageName,
		"addon-message-scale":            decode(t, "addon-message-scale").MessageName,
		"chatapi-message-silence":        decode(t, "chatapi-message-silence").MessageName,
		"chatapi-message-without-name":   hexKey,
		"addon-message-without-name":     hexKey,
		"chatapi-card-confirm":           hexKey,
		"addon-button-cancel":            hexKey,
		"chatapi-app-command-quick":      hexKey,
		"addon-app-command-slash":        hexKey,
		"chatapi-added-by-mention":       hexKey,
		"chatapi-removed-dm":             hexKey,
		"chatapi-widget-updated":         hexKey,
		"chatapi-card-dialog-submit":     hexKey,
		"chatapi-added-by-administrator": hexKey,
	} {
		got := decode(t, name).Key()
		if want == hexKey && len(got) == 64 && strings.Trim(got, "0123456789abcdef") == "" {
			continue
		}
		if got != want {
			t.Errorf("%s: key %q, want %q", name, got, want)
		}
	}
}

const hexKey = "<sha-256>"

// TestKeysDifferWhereTheInteractionsDo changes one field at a time.
func TestKeysDifferWhereTheInteractionsDo(t *testing.T) {
	t.Parallel()
	click := interaction.Event{
		Type: interaction.CardClicked, Time: "2026-11-30T13:00:00Z", User: interaction.User{Name: "users/1"},
		Space: interaction.Space{Name: "spaces/S"}, MessageName: "spaces/S/messages/M", Function: "onceway",
		Parameters: map[string]string{"decision": "confirm", "proposal": "p1"},
	}
	said := interaction.Event{
		Type: interaction.Message, Space: interaction.Space{Name: "spaces/S"}, Thread: "spaces/S/threads/T",
		MessageTime: "2026-11-30T13:00:00Z", Text: "groups",
	}
	changes := map[string]func(*interaction.Event){
		"as it is":   func(*interaction.Event) {},
		"space":      func(e *interaction.Event) { e.Space.Name += "x" },
		"when":       func(e *interaction.Event) { e.Time, e.MessageTime = e.Time+"1", e.MessageTime+"1" },
		"user":       func(e *interaction.Event) { e.User.Name += "2" },
		"message":    func(e *interaction.Event) { e.MessageName += "2" },
		"button":     func(e *interaction.Event) { e.Function += "2" },
		"command":    func(e *interaction.Event) { e.CommandID = "2" },
		"decision":   func(e *interaction.Event) { e.Parameters = map[string]string{"decision": "cancel", "proposal": "p1"} },
		"shift":      func(e *interaction.Event) { e.Parameters = map[string]string{"decision": "confirmp", "roposal": "p1"} },
		"type":       func(e *interaction.Event) { e.Type = interaction.AppCommand },
		"thread":     func(e *interaction.Event) { e.Thread += "2" },
		"text":       func(e *interaction.Event) { e.Text += "2" },
		"text shift": func(e *interaction.Event) { e.MessageTime, e.Text = e.MessageTime+"g", "roups" },
	}
	check := func(base interaction.Event, names ...string) {
		seen := map[string]string{}
		for _, name := range names {
			e := base
			changes[name](&e)
			key := e.Key()
			if key == "" {
				t.Errorf("%s: no key", name)
			}
			if other, ok := seen[key]; ok {
				t.Errorf("%s and %s have one key", name, other)
			}
			seen[key] = name
		}
	}
	check(click, "as it is", "space", "when", "user", "message", "button", "command", "decision", "shift", "type")
	check(said, "as it is", "space", "when", "thread", "text", "text shift")
}

func TestConfirmAndCancelOnOneCardDiffer(t *testing.T) {
	t.Parallel()
	confirm, cancel := decode(t, "addon-button-confirm"), decode(t, "addon-button-cancel")
	cancel.Time = confirm.Time // pressed in the same instant
	if confirm.Key() == cancel.Key() {
		t.Error("they have one key")
	}
}

func TestWithoutATimeNothingIsAKey(t *testing.T) {
	t.Parallel()
	for _, typ := range []interaction.Type{interaction.CardClicked, interaction.Message} {
		if key := (interaction.Event{Type: typ, Text: "groups"}).Key(); key != "" {
			t.Errorf("%s: key %q", typ, key)
		}
	}
}

func TestHugeIDsAreHashed(t *testing.T) {
	t.Parallel()
	if key := (interaction.Event{ID: strings.Repeat("x", 1<<20)}).Key(); len(key) != 64 {
		t.Errorf("key of %d bytes", len(key))
	}
}
