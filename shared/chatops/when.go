package chatops

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// errWhen lists the forms: whoever mistyped a time needs an example, not a grammar.
var errWhen = errors.New("write a time as 18:00, 2026-12-01, 2026-12-01 18:00, tomorrow, or 2h for two hours from now")

// When reads a time that lies after the command's, from words such as "18:00" or
// "2026-12-01 18:00". A date alone means its beginning; a time alone the next
// such time; a duration counts from when the command was said.
func (a *Args) When(texts []string) (time.Time, error) {
	text := strings.Join(texts, " ")
	if a.At.IsZero() {
		return time.Time{}, errors.New("this message has no time of its own, so no end can be counted from it")
	}
	now := a.At.In(a.Zone)
	at, err := a.read(strings.ToUpper(asciiFold(text)), now)
	if err != nil {
		return time.Time{}, err
	}
	if !at.After(now) {
		return time.Time{}, fmt.Errorf("%s is in the past", at.Format("2006-01-02 15:04 MST"))
	}
	if at.After(now.AddDate(10, 0, 0)) {
		return time.Time{}, errors.New("that is more than ten years away")
	}
	return at, nil
}

func (a *Args) read(text string, now time.Time) (time.Time, error) {
	switch text {
	case "":
		return time.Time{}, errWhen
	case "TOMORROW":
		return time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, a.Zone), nil
	}
	if d, err := ParseDuration(text); err == nil {
		return now.Add(d), nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04", "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(layout, text, a.Zone); err == nil {
			return t, nil
		}
	}
	t, err := time.Parse("15:04", text)
	if err != nil {
		return time.Time{}, errWhen
	}
	at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, a.Zone)
	if !at.After(now) {
		at = time.Date(now.Year(), now.Month(), now.Day()+1, t.Hour(), t.Minute(), 0, 0, a.Zone)
	}
	return at, nil
}

// ParseDuration reads "90s", "2h30m", "3d", "1w": positive, at most a year.
func ParseDuration(text string) (time.Duration, error) {
	text = asciiFold(text)
	var total time.Duration
	for _, unit := range []struct {
		suffix string
		length time.Duration
	}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}} {
		head, rest, found := strings.Cut(text, unit.suffix)
		if !found {
			continue
		}
		n, err := digits(head)
		if err != nil {
			return 0, err
		}
		total += time.Duration(n) * unit.length
		text = rest
	}
	if text != "" {
		d, err := time.ParseDuration(text)
		if err != nil || strings.ContainsAny(text, "+-.") {
			return 0, errDuration
		}
		total += d
	}
	if total <= 0 || total > 366*24*time.Hour {
		return 0, errDuration
	}
	return total, nil
}

var errDuration = errors.New("write a duration as 30m, 2h or 3d, at most a year")

// digits reads up to three of them: enough for any duration that is allowed.
func digits(s string) (int, error) {
	if s == "" || len(s) > 3 {
		return 0, errDuration
	}
	n := 0
	for _, r := range s {
		if r < '0' || r > '9' {
			return 0, errDuration
		}
		n = 10*n + int(r-'0')
	}
	return n, nil
}
