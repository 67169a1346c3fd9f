package chatops

import (
	"errors"
	"strings"
	"unicode"
)

// maxLine bounds what is read as a command: Chat's own limit is 32,000 bytes, a
// command is a sentence.
const maxLine = 2000

// word is one word of a line. One that was quoted is never a little word.
type word struct {
	text   string
	quoted bool
}

// is reports whether w is this word of the language, whatever its case.
func (w word) is(name string) bool { return !w.quoted && asciiFold(w.text) == name }

var (
	errLong   = errors.New("that is too long for a command")
	errQuotes = errors.New("a quote is opened and not closed")
)

// split cuts a line into words at any white space. Quotes may stand anywhere in
// a word, as in name="two words"; phones write curly ones.
func split(line string) ([]word, error) {
	if len(line) > maxLine {
		return nil, errLong
	}
	var words []word
	var b strings.Builder
	open, quoted, started := rune(0), false, false
	end := func() {
		if started {
			words = append(words, word{text: b.String(), quoted: quoted})
		}
		b.Reset()
		quoted, started = false, false
	}
	for _, r := range line {
		straight := straighten(r)
		switch {
		case open != 0 && straight == open:
			open = 0
		case open == 0 && (straight == '"' || straight == '\'' && !started):
			open, quoted, started = straight, true, true
		case open == 0 && unicode.IsSpace(r):
			end()
		case unicode.IsControl(r) || r == '\u200b' || r == '\ufeff':
			// Invisible: dropped, so that a word looks like what it is.
		default:
			b.WriteRune(r)
			started = true
		}
	}
	if open != 0 {
		return nil, errQuotes
	}
	end()
	return words, nil
}

func straighten(r rune) rune {
	switch r {
	case '“', '”', '„', '«', '»':
		return '"'
	case '‘', '’', '‚':
		return '\''
	}
	return r
}

// asciiFold lowers A to Z and nothing else: no other letter becomes one of ours.
func asciiFold(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
