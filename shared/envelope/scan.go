package envelope

import "bytes"

// maxDepth bounds nesting in the parts that are skipped.
const maxDepth = 1000

// scanner walks over JSON without building values: a push body is mostly one
// base64 string, and only a handful of its fields matter. It accepts just what
// the JSON grammar does; after a fault bad stays set and every method is harmless.
type scanner struct {
	b   []byte
	i   int
	bad bool
}

func (s *scanner) fail() { s.bad = true }

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// peek answers the next byte that is not white space; 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.bad || s.i >= len(s.b) {
		return 0
	}
	return s.b[s.i]
}

// take consumes c or fails.
func (s *scanner) take(c byte) {
	if s.peek() != c || c == 0 {
		s.fail()
		return
	}
	s.i++
}

// end fails unless nothing but white space is left.
func (s *scanner) end() {
	s.space()
	if s.i < len(s.b) {
		s.fail()
	}
}

// object calls field for each member with its key, as written between the
// quotes; field consumes the value.
func (s *scanner) object(field func(key []byte)) {
	s.take('{')
	if s.peek() == '}' {
		s.i++
		return
	}
	for !s.bad {
		key, escaped := s.text()
		if escaped {
			key = []byte(unescape(key))
		}
		s.take(':')
		if s.bad {
			return
		}
		field(key)
		if s.peek() == '}' {
			s.i++
			return
		}
		s.take(',')
	}
}

// null consumes null if it comes next.
func (s *scanner) null() bool {
	if s.peek() != 'n' {
		return false
	}
	s.word("null")
	return true
}

func (s *scanner) word(w string) {
	if !bytes.HasPrefix(s.b[s.i:], []byte(w)) {
		s.fail()
		return
	}
	s.i += len(w)
}

// skip consumes one value of any kind.
func (s *scanner) skip(depth int) {
	switch c := s.peek(); {
	case depth > maxDepth:
		s.fail()
	case c == '{':
		s.object(func([]byte) { s.skip(depth + 1) })
	case c == '[':
		s.array(depth)
	case c == '"':
		s.text()
	case c == 't':
		s.word("true")
	case c == 'f':
		s.word("false")
	case c == 'n':
		s.word("null")
	default:
		s.number()
	}
}

func (s *scanner) array(depth int) {
	s.take('[')
	if s.peek() == ']' {
		s.i++
		return
	}
	for !s.bad {
		s.skip(depth + 1)
		if s.peek() == ']' {
			s.i++
			return
		}
		s.take(',')
	}
}

// number consumes a number and answers its text.
func (s *scanner) number() []byte {
	s.space()
	start := s.i
	if s.at('-') {
		s.i++
	}
	if s.at('0') {
		s.i++
	} else {
		s.digits()
	}
	if s.at('.') {
		s.i++
		s.digits()
	}
	if s.at('e') || s.at('E') {
		s.i++
		if s.at('+') || s.at('-') {
			s.i++
		}
		s.digits()
	}
	return s.b[start:s.i]
}

func (s *scanner) at(c byte) bool { return s.i < len(s.b) && s.b[s.i] == c }

// digits consumes at least one digit.
func (s *scanner) digits() {
	start := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	if s.i == start {
		s.fail()
	}
}
