package chatops

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"onceway.internal/shared/chatops/policy"
)

// Set is the commands that are understood here. It adds help to them.
type Set struct {
	commands []Command // sorted by name
	zone     *time.Location
}

// NewSet puts commands together and reports every one that is incomplete or
// there twice. Times in commands are meant in zone.
func NewSet(zone *time.Location, commands ...Command) (*Set, error) {
	if zone == nil {
		return nil, errors.New("commands: no time zone")
	}
	s := &Set{zone: zone}
	s.commands = append(slices.Clone(commands), s.help())
	slices.SortStableFunc(s.commands, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	var faults []error
	for i, c := range s.commands {
		if err := c.check(); err != nil {
			faults = append(faults, err)
		}
		if i > 0 && s.commands[i-1].Name == c.Name {
			faults = append(faults, fmt.Errorf("command %q: there twice", c.Name))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return s, nil
}

func (c Command) check() error {
	words, err := split(c.Name)
	switch {
	case err != nil || len(words) == 0 || asciiFold(strings.Join(strings.Fields(c.Name), " ")) != c.Name || strings.ContainsAny(c.Name, `"'`):
		return fmt.Errorf("command %q: its name must be lowercase words", c.Name)
	case c.Parse == nil:
		return fmt.Errorf("command %q: it can't be read", c.Name)
	case c.Effect == Once && c.Role < policy.Operator:
		return fmt.Errorf("command %q: what must not happen twice needs at least an operator", c.Name)
	}
	return nil
}

// Misunderstood says what is wrong with a line. Text is for people.
type Misunderstood struct{ Text string }

func (m *Misunderstood) Error() string { return "not understood: " + m.Text }

// Parse reads a line that was said at the given time. The error is always a
// Misunderstood. An empty line asks for help.
func (s *Set) Parse(line string, at time.Time) (Command, Call, error) {
	words, err := split(line)
	if err != nil {
		return Command{}, Call{}, &Misunderstood{Text: sentence(err)}
	}
	if len(words) == 0 {
		words = []word{{text: "help"}}
	}
	c, rest, ok := s.find(words)
	if !ok {
		return Command{}, Call{}, &Misunderstood{Text: s.suggest(words)}
	}
	call, err := c.Parse(Args{words: rest, At: at, Zone: s.zone})
	if err != nil {
		return c, Call{}, &Misunderstood{Text: fmt.Sprintf("%s\nWrite it as: `%s`", sentence(err), usage(c))}
	}
	return c, call, nil
}

// Find answers with the command of that name.
func (s *Set) Find(name string) (Command, bool) {
	i, ok := slices.BinarySearchFunc(s.commands, name, func(c Command, n string) int { return strings.Compare(c.Name, n) })
	if !ok {
		return Command{}, false
	}
	return s.commands[i], true
}

// find takes the command with the longest name that the words begin with.
func (s *Set) find(words []word) (best Command, rest []word, ok bool) {
	for _, c := range s.commands {
		names := strings.Fields(c.Name)
		if len(names) > len(words) || ok && len(names) <= len(strings.Fields(best.Name)) {
			continue
		}
		match := true
		for i, n := range names {
			match = match && words[i].is(n)
		}
		if match {
			best, rest, ok = c, words[len(names):], true
		}
	}
	return best, rest, ok
}

func usage(c Command) string { return strings.TrimSpace(c.Name + " " + c.Usage) }

// sentence makes a message for people of an error's text.
func sentence(err error) string {
	text := err.Error()
	if text != "" && 'a' <= text[0] && text[0] <= 'z' {
		text = string(text[0]-'a'+'A') + text[1:]
	}
	return text + "."
}
