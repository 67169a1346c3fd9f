package chatops

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"onceway.internal/shared/chatops/policy"
)

// A phone shows this much of a message in a fixed width without folding lines.
const (
	helpColumns = 40
	helpLines   = 20
)

func (s *Set) help() Command {
	return Command{
		Name: "help", Usage: "[COMMAND]", Brief: "what can be asked for", Role: policy.Viewer, Effect: Reads,
		Parse: func(a Args) (Call, error) {
			text := s.overview()
			if !a.Empty() {
				about := a.words
				c, _, ok := s.find(about)
				if !ok {
					return Call{}, fmt.Errorf("there is no command %s", Quote(about[0].text))
				}
				text = detail(c)
			}
			return Call{Do: func(context.Context, Operation) (string, error) { return text, nil }}, nil
		},
	}
}

// overview lists every command in few enough lines; those that don't fit are
// counted, and found by "help" with their name.
func (s *Set) overview() string {
	var lines []string
	for _, level := range []struct {
		title string
		has   func(Command) bool
	}{
		{"Anyone", func(c Command) bool { return c.Role <= policy.Viewer }},
		{"Operators", func(c Command) bool { return c.Role == policy.Operator }},
		{"Admins", func(c Command) bool { return c.Role > policy.Operator }},
	} {
		var some []string
		for _, c := range s.commands {
			if level.has(c) {
				some = append(some, " "+shorten(usage(c), helpColumns-1))
			}
		}
		if len(some) > 0 {
			lines = append(append(lines, level.title), some...)
		}
	}
	// The marks of the block and the last line take three of the lines.
	if room := helpLines - 3; len(lines) > room {
		left := len(lines) - room + 1
		lines = append(lines[:room-1], fmt.Sprintf(" … and %d more", left))
	}
	return Block(lines) + "\n`help COMMAND` tells more."
}

func detail(c Command) string {
	text := "`" + usage(c) + "`"
	if c.Brief != "" {
		text += "\n" + c.Brief + "."
	}
	if c.Role > policy.Viewer {
		text += fmt.Sprintf("\nFor role %s.", c.Role)
	}
	return text
}

func shorten(s string, columns int) string {
	if utf8.RuneCountInString(s) <= columns {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:columns-1]), " ") + "…"
}
