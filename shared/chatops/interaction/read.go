package interaction

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
)

func (e *Event) readChatAPI(data []byte) error {
	var w wireChatAPI
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	e.Time, e.User, e.Dialog = w.EventTime, w.User.user(), w.Dialog
	e.place(w.Space, w.Thread)
	e.say(w.Message)
	e.command(w.Command)
	e.Function = cmp.Or(w.Action.Function, w.Common.Function)
	maps.Copy(e.Parameters, w.Common.Parameters)
	for _, p := range w.Action.Parameters {
		e.Parameters[p.Key] = p.Value
	}
	return nil
}

func (e *Event) readAddOn(h head) error {
	var w wireAddOn
	if err := json.Unmarshal(h.Chat, &w); err != nil {
		return err
	}
	var common wireCommon
	if len(h.Common) > 0 {
		if err := json.Unmarshal(h.Common, &common); err != nil {
			return err
		}
	}
	var p *wirePayload
	e.Type, p = w.payload()
	e.Time, e.User = w.EventTime, w.User.user()
	e.place(w.Space, wireThread{})
	if p == nil {
		return nil
	}
	e.Dialog = p.Dialog
	e.place(p.Space, p.Thread)
	e.say(p.Message)
	e.command(p.Command)
	e.Function = common.Function
	maps.Copy(e.Parameters, common.Parameters)
	return nil
}

// payload tells which payload an add-on's event holds. Documented events hold
// one; none is a type of which nothing is known yet.
func (w wireAddOn) payload() (Type, *wirePayload) {
	switch {
	case w.Button != nil:
		return CardClicked, w.Button
	case w.Command != nil:
		return AppCommand, w.Command
	case w.Message != nil:
		return Message, w.Message
	case w.Added != nil:
		return AddedToSpace, w.Added
	case w.Removed != nil:
		return RemovedFrom, w.Removed
	case w.Widget != nil:
		return WidgetUpdated, w.Widget
	}
	return "", nil
}

// place fills in where it happened; what is known already stays.
func (e *Event) place(s wireSpace, t wireThread) {
	if e.Space.Name == "" {
		e.Space = s.space()
	}
	e.Thread = cmp.Or(e.Thread, t.Name)
}

func (e *Event) command(m *wireMetadata) {
	if m != nil && m.ID != "" {
		e.CommandID = string(m.ID)
	}
}

func (e *Event) say(m *wireMessage) {
	if m == nil {
		return
	}
	e.MessageName, e.MessageTime, e.Text = m.Name, m.CreateTime, m.Text
	e.place(m.Space, m.Thread)
	if e.Type == Message && e.User == (User{}) {
		e.User = m.Sender.user()
	}
	slash := m.Slash
	for _, a := range m.Annotations {
		if a.Slash != nil {
			slash = a.Slash
		}
	}
	if slash != nil {
		e.CommandID, e.CommandName = string(slash.ID), strings.TrimPrefix(slash.Name, "/")
	}
	if m.Argument != nil {
		e.Argument = strings.TrimSpace(*m.Argument)
	} else {
		e.Argument = strings.TrimSpace(withoutApp(m.Text, m.Annotations))
	}
}

// withoutApp cuts mentions of apps out of a text. Annotations count in UTF-16
// units; those that don't fit the text are ignored.
func withoutApp(text string, annotations []wireAnnotation) string {
	units := utf16.Encode([]rune(text))
	lastFirst := slices.SortedFunc(slices.Values(annotations), func(a, b wireAnnotation) int { return b.Start - a.Start })
	for _, a := range lastFirst {
		app := a.Slash != nil || a.User != nil && a.User.User.Type == "BOT"
		if !app || a.Start < 0 || a.Length < 0 || a.Start > len(units) || a.Length > len(units)-a.Start {
			continue
		}
		units = append(units[:a.Start:a.Start], units[a.Start+a.Length:]...)
	}
	return string(utf16.Decode(units))
}

// Line is what somebody asked for in words: a message without the app's mention,
// or a slash command with what was written behind it.
func (e Event) Line() string {
	name := e.CommandName
	if name == "" {
		if words := strings.Fields(e.Text); len(words) > 0 && strings.HasPrefix(words[0], "/") {
			name = strings.TrimPrefix(words[0], "/")
		}
	}
	switch {
	case e.CommandID == "" || name == "":
		return strings.TrimPrefix(e.Argument, "/")
	case strings.HasPrefix(e.Argument, "/"+name):
		return strings.TrimPrefix(e.Argument, "/")
	}
	return strings.TrimSpace(name + " " + e.Argument)
}
