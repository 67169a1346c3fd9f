package chatops_test

import (
	"errors"
	"testing"
	"unicode/utf8"

	"onceway.internal/shared/chatops"
)

// FuzzParse: any line is understood the same way each time, or refused in words that
// can be shown.
func FuzzParse(f *testing.F) {
	for _, line := range []string{
		"", "help", "help reserve", "list", "reserve dg02 for acme until 18:00 because “two words”", "RESERVE dg02 FOR acme, globex",
		"reserve 'dg02' for \"until\" until tomorrow", "resevre dg02", "reserve deployment a/b for x until +4h", "reserve\u00a0a for b until 2026-13-40", "\"", "\x00\xff",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		s := set(t, echo("reserve"), echo("reserve deployment"), bare("list"))
		command, call, err := s.Parse(line, said)
		if err == nil {
			again, second, err := s.Parse(line, said)
			if err != nil || again.Name != command.Name || second.Target != call.Target {
				t.Errorf("read as %s %q, then as %s %q, %v", command.Name, call.Target, again.Name, second.Target, err)
			}
			return
		}
		if m, ok := errors.AsType[*chatops.Misunderstood](err); !ok || m.Text == "" || utf8.ValidString(line) && !utf8.ValidString(m.Text) {
			t.Errorf("refused by %v", err)
		}
	})
}
