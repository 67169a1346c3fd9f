package chatops

import (
	"strings"
	"unicode"
)

// maxQuote is how much of somebody's own words is shown back to them, in runes.
const maxQuote = 60

// Quote shows text that somebody wrote, inert: Chat would read <users/all> as a
// mention of everybody, and backquotes end the quotation.
func Quote(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == maxQuote {
			b.WriteRune('…')
			break
		}
		n++
		switch {
		case r == '`' || r == '\'':
			b.WriteRune('ʼ')
		case r == '<':
			b.WriteRune('‹')
		case r == '>':
			b.WriteRune('›')
		case unicode.IsSpace(r):
			b.WriteRune(' ')
		case !unicode.IsPrint(r):
			b.WriteRune('\uFFFD')
		default:
			b.WriteRune(r)
		}
	}
	return "`" + b.String() + "`"
}

// Block shows lines in a fixed width, inert as Quote does.
func Block(lines []string) string {
	text := strings.NewReplacer("`", "ʼ", "<", "‹", ">", "›").Replace(strings.Join(lines, "\n"))
	return "```\n" + text + "\n```"
}
