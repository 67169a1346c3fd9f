package console

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"onceway.internal/shared/route"
)

// Words is a duration for people, in its two largest units.
func Words(d time.Duration) string {
	if d < 0 {
		d = 0
	}
	s := d.Seconds()
	switch {
	case s < 1:
		return fmt.Sprintf("%.0f ms", s*1000)
	case s < 9.95:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", s), ".0") + " s"
	case s < 60:
		return fmt.Sprintf("%.0f s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", int(s)/60, int(s)%60)
	case s < 86400:
		return fmt.Sprintf("%d h %02d min", int(s)/3600, int(s)%3600/60)
	}
	return fmt.Sprintf("%d d %d h", int(s)/86400, int(s)%86400/3600)
}

// seconds is Words for a float of seconds; a score is one.
func seconds(s float64) string {
	switch {
	case s < 0.05:
		return "0 s"
	case s > 1e8:
		return "over 3 years"
	}
	return Words(time.Duration(s * float64(time.Second)))
}

// number groups thousands, and keeps a decimal only where it says something.
func number(f float64) string {
	if math.Abs(f) < 10 && f != math.Trunc(f) {
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	if math.Abs(f) >= 1e15 {
		return strconv.FormatFloat(f, 'g', 3, 64)
	}
	n := int64(math.Round(f))
	digits := strconv.FormatInt(max(n, -n), 10)
	var b strings.Builder
	if n < 0 {
		b.WriteString("−")
	}
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// score is a score with its unit.
func score(f *float64, mode string) string {
	switch {
	case f == nil:
		return "none"
	case mode == string(route.ModeDrain):
		return seconds(*f)
	}
	return number(*f)
}

// plus is a correction: signed, without a unit of its own.
func plus(f *float64) string {
	switch {
	case f == nil:
		return "–"
	case *f >= 0.05:
		return "+" + number(math.Round(*f*10)/10)
	case *f <= -0.05:
		return "−" + number(math.Round(-*f*10)/10)
	}
	return "±0"
}

// plain shows what could break a line, or turn the direction of what stands around
// it, as the code point that it is. Everything stored by others goes through it.
func plain(s string) string { return inert(s, false) }

// body is plain for a text of several lines.
func body(s string) string { return inert(s, true) }

func inert(s string, lines bool) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case lines && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		case lines && r == '\r':
		case r < ' ', r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// brief cuts a text for a list; the whole stands on its own page.
func brief(n int, s string) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// maxShown bounds how much of a body a page shows.
const maxShown = 64 << 10

// shown is an event's body for a page: text as it is, other bytes in hex.
func shown(data []byte) string {
	if len(data) > maxShown {
		data = data[:maxShown]
		for len(data) > 0 && !utf8.RuneStart(data[len(data)-1]) {
			data = data[:len(data)-1]
		}
	}
	if utf8.Valid(data) {
		return body(string(data))
	}
	var b strings.Builder
	for i := 0; i < min(len(data), 4096); i += 16 {
		fmt.Fprintf(&b, "%06x  % x\n", i, data[i:min(i+16, len(data))])
	}
	return b.String()
}

// moment is a time that the reader's browser turns into the reader's zone; without
// JavaScript it stays in UTC and says so.
func moment(t time.Time) template.HTML {
	if t.IsZero() {
		return "–"
	}
	t = t.UTC()
	// A formatted time holds no markup.
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`,
		t.Format("2006-01-02T15:04:05.000Z07:00"), t.Format("2006-01-02 15:04:05 UTC"), t.Format("2 Jan 15:04:05 UTC")))
}
