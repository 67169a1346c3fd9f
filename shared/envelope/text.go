package envelope

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// text consumes a string and answers what stands between its quotes, and
// whether that holds anything to decode: escapes, or bytes that are not UTF-8.
func (s *scanner) text() (raw []byte, encoded bool) {
	s.take('"')
	if s.bad {
		return nil, false
	}
	start := s.i
	// A base64 string is megabytes long: look for its end at memory speed, and
	// walk byte by byte only where the short cut can't tell.
	if n := bytes.IndexByte(s.b[start:], '"'); n >= 0 && plain(s.b[start:start+n]) {
		s.i = start + n + 1
		return s.b[start : start+n], false
	}
	for s.i < len(s.b) {
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return s.b[start : s.i-1], true
		case c < ' ':
			s.fail()
			return nil, false
		case c == '\\':
			s.escape()
			if s.bad {
				return nil, false
			}
		default:
			s.i++
		}
	}
	s.fail()
	return nil, false
}

// plain reports whether b is printable ASCII without a backslash.
func plain(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (s *scanner) escape() {
	s.i++
	if s.i >= len(s.b) {
		s.fail()
		return
	}
	switch s.b[s.i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.i++
	case 'u':
		if _, ok := hex4(s.b[s.i+1:]); !ok {
			s.fail()
			return
		}
		s.i += 5
	default:
		s.fail()
	}
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n), err == nil
}

// str consumes a string, or null for the empty one.
func (s *scanner) str() string {
	if s.null() {
		return ""
	}
	raw, encoded := s.text()
	if encoded {
		return unescape(raw)
	}
	return string(raw)
}

// unescape decodes what text has checked. Bytes that are not UTF-8 and lone
// surrogates become U+FFFD, as everywhere in Go.
func unescape(raw []byte) string {
	var out strings.Builder
	out.Grow(len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			r, n := utf8.DecodeRune(raw[i:])
			out.WriteRune(r)
			i += n
			continue
		}
		if raw[i+1] != 'u' {
			out.WriteByte(escapes[raw[i+1]])
			i += 2
			continue
		}
		r, _ := hex4(raw[i+2:])
		i += 6
		if utf16.IsSurrogate(r) {
			pair := rune(utf8.RuneError)
			if i+6 <= len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
				low, _ := hex4(raw[i+2:])
				pair = utf16.DecodeRune(r, low)
			}
			if pair != utf8.RuneError {
				i += 6
			}
			r = pair
		}
		out.WriteRune(r)
	}
	return out.String()
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
