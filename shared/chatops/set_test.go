package chatops_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/policy"
)

var said = time.Date(2026, 11, 30, 13, 0, 0, 0, time.UTC)

// echo is a command that reads GROUP for WHO [until TIME] [because …] and says
// what it read.
func echo(name string) chatops.Command {
	return chatops.Command{
		Name: name, Usage: "GROUP for WHO [until TIME] [because …]", Role: policy.Operator, Effect: chatops.Repeats,
		Parse: func(a chatops.Args) (chatops.Call, error) {
			group, err := a.Next("the group")
			if err != nil {
				return chatops.Call{}, err
			}
			if err := a.Expect("for", "whom"); err != nil {
				return chatops.Call{}, err
			}
			parts := []string{group, strings.Join(a.Until("until", "because"), "+")}
			if a.Accept("until") {
				at, err := a.When(a.Until("because"))
				if err != nil {
					return chatops.Call{}, err
				}
				parts = append(parts, "until "+at.UTC().Format(time.RFC3339))
			}
			why, err := a.Because()
			if err != nil {
				return chatops.Call{}, err
			}
			return chatops.Call{Target: strings.Join(append(parts, why), "|")}, nil
		},
	}
}

func bare(name string) chatops.Command {
	return chatops.Command{Name: name, Role: policy.Viewer, Parse: func(a chatops.Args) (chatops.Call, error) {
		return chatops.Call{}, a.End()
	}}
}

func set(t testing.TB, commands ...chatops.Command) *chatops.Set {
	t.Helper()
	s, err := chatops.NewSet(time.UTC, commands...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLinesAreReadAsTheyAreMeant(t *testing.T) {
	t.Parallel()
	s := set(t, echo("reserve"), echo("restart deployment"), bare("restart"), bare("groups"))
	for line, want := range map[string]string{
		"reserve dg02 for acme":                                 "reserve: dg02|acme|",
		"  RESERVE\tdg02\nFor  acme ":                           "reserve: dg02|acme|",
		"reserve DG02 for Acme because Launch Day":              "reserve: DG02|Acme|Launch Day",
		"reserve dg02 for acme, globex":                         "reserve: dg02|acme,+globex|",
		`reserve dg02 for "for until"`:                          "reserve: dg02|for until|",
		"reserve dg02 for “acme corp” because it’s ‘now’":       "reserve: dg02|acme corp|it’s now",
		"reserve dg02 for “acme corp” because ok":               "reserve: dg02|acme corp|ok",
		"reserve\u00a0dg02\u00a0for acme":                       "reserve: dg02|acme|",
		"reserve dg\u200b02 for acme":                           "reserve: dg02|acme|",
		"reserve dg02 for acme until 18:00":                     "reserve: dg02|acme|until 2026-11-30T18:00:00Z|",
		"reserve dg02 for acme until 12:00":                     "reserve: dg02|acme|until 2026-12-01T12:00:00Z|",
		"reserve dg02 for acme until 2h30m because x":           "reserve: dg02|acme|until 2026-11-30T15:30:00Z|x",
		"reserve dg02 for acme until 1w2d":                      "reserve: dg02|acme|until 2026-12-09T13:00:00Z|",
		"reserve dg02 for acme until tomorrow":                  "reserve: dg02|acme|until 2026-12-01T00:00:00Z|",
		"reserve dg02 for acme until 2026-12-24":                "reserve: dg02|acme|until 2026-12-24T00:00:00Z|",
		"reserve dg02 for acme until 2026-12-24 18:30":          "reserve: dg02|acme|until 2026-12-24T18:30:00Z|",
		"reserve dg02 for acme until 2026-12-24T18:30:00+02:00": "reserve: dg02|acme|until 2026-12-24T16:30:00Z|",
		"restart":                             "restart: ",
		"restart deployment a for b":          "restart deployment: a|b|",
		"\u212aroups":                         "", // a Kelvin sign is no letter of ours
		"groups":                              "groups: ",
		"":                                    "help: ",
		"help":                                "help: ",
		"help restart deployment":             "help: ",
		"help nonsense":                       "",
		"reserve":                             "",
		"reserve dg02":                        "",
		"reserve dg02 acme":                   "",
		"reserve dg02 for acme until":         "",
		"reserve dg02 for a because":          "",
		"reserve dg02 for a until 11:99":      "",
		"reserve dg02 for a until 2020-01-01": "",
		"reserve dg02 for a until 2999-01-01": "",
		"reserve dg02 for a until -2h":        "",
		"groups now":                          "",
		`reserve dg02 for "acme`:              "",
		strings.Repeat("x", 5000):             "",
	} {
		c, call, err := s.Parse(line, said)
		if err != nil {
			if _, ok := errors.AsType[*chatops.Misunderstood](err); !ok {
				t.Errorf("%q: error of type %T", line, err)
			}
			if want != "" {
				t.Errorf("%q: %v", line, err)
			}
			continue
		}
		if got := c.Name + ": " + call.Target; got != want {
			t.Errorf("%q: read %q, want %q", line, got, want)
		}
	}
}

func TestMistypedCommandsAreSuggested(t *testing.T) {
	t.Parallel()
	s := set(t, echo("reserve"), echo("restart deployment"), echo("scale deployment"), bare("groups"), echo("undrain"), echo("drain"))
	for line, want := range map[string]string{
		"restrat deployment a/b":  "`restart deployment GROUP",
		"restart a/b":             "`restart deployment GROUP",
		"restart deploymnet a/b":  "`restart deployment GROUP",
		"restart":                 "`restart deployment GROUP",
		"scael deployment a/b":    "`scale deployment GROUP",
		"gruops":                  "`groups`",
		"group":                   "`groups`",
		"drian dg01":              "`drain GROUP",
		"undrian dg01":            "`undrain GROUP",
		"hlep":                    "`help [COMMAND]`",
		"reserv dg01 for acme":    "`reserve GROUP",
		"make me a sandwich":      "",
		"<users/all> `x` \u202e!": "",
	} {
		_, _, err := s.Parse(line, said)
		m, ok := errors.AsType[*chatops.Misunderstood](err)
		if !ok {
			t.Errorf("%q: %v", line, err)
			continue
		}
		if got := strings.Contains(m.Text, "Did you mean"); got != (want != "") || !strings.Contains(m.Text, want) {
			t.Errorf("%q: %q, want %q", line, m.Text, want)
		}
		if strings.Contains(m.Text, "<") || strings.ContainsRune(m.Text, '\u202e') {
			t.Errorf("%q: what was typed comes back live: %q", line, m.Text)
		}
	}
}

func TestMistakesShowTheUsage(t *testing.T) {
	t.Parallel()
	_, _, err := set(t, echo("reserve")).Parse("reserve dg02", said)
	want := "\"for\" and then whom is missing.\nWrite it as: `reserve GROUP for WHO [until TIME] [because …]`"
	if m, ok := errors.AsType[*chatops.Misunderstood](err); !ok || m.Text != want {
		t.Errorf("%v, want %q", err, want)
	}
}

func help(t *testing.T, s *chatops.Set, line string) string {
	t.Helper()
	_, call, err := s.Parse(line, said)
	if err != nil {
		t.Fatal(err)
	}
	text, err := call.Do(context.Background(), chatops.Operation{})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func fitsAPhone(t *testing.T, text string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	if len(lines) > 20 {
		t.Errorf("%d lines do not fit a phone:\n%s", len(lines), text)
	}
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > 40 {
			t.Errorf("%d columns do not fit a phone: %q", n, line)
		}
	}
}

func TestHelpFitsAPhoneHoweverManyCommandsThereAre(t *testing.T) {
	t.Parallel()
	for n := range 30 {
		var commands []chatops.Command
		for i := range n {
			commands = append(commands, echo("tool-"+string(rune('a'+i%26))+strings.Repeat("x", i)))
		}
		text := help(t, set(t, commands...), "help")
		fitsAPhone(t, text)
		if n > 20 && !strings.Contains(text, "more") {
			t.Errorf("what does not fit is not counted:\n%s", text)
		}
	}
}

func TestIncompleteCommandsAreRefused(t *testing.T) {
	t.Parallel()
	shout, unread, loose := echo("Restart"), echo("restart"), echo("purge")
	unread.Parse = nil
	loose.Effect, loose.Role = chatops.Once, policy.Viewer
	for name, commands := range map[string][]chatops.Command{
		"capitals":            {shout},
		"no parser":           {unread},
		"viewers destroy":     {loose},
		"twice":               {echo("a"), echo("a")},
		"help is there twice": {echo("help")},
		"no name":             {echo("")},
	} {
		if _, err := chatops.NewSet(time.UTC, commands...); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "2h": 2 * time.Hour, "2h30m": 150 * time.Minute, "3d": 72 * time.Hour, "1w2d3h": 219 * time.Hour, "2H": 2 * time.Hour,
		"": 0, "0s": 0, "-1h": 0, "+1h": 0, "1.5h": 0, "h": 0, "5": 0, "9999d": 0, "400d": 0, "d": 0, "1d1d": 0, "1d1w": 0, "١h": 0,
	} {
		got, err := chatops.ParseDuration(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
