// Package pattern holds regular expressions that are compiled at their first use. A
// binary with many functions has many patterns, and compiling those that one function
// never asks for was a tenth of its cold start.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression. Safe for concurrent use.
type Pattern struct{ compiled func() *regexp.Regexp }

// Lazy is regexp.MustCompile, but panics at the first use.
func Lazy(expr string) Pattern {
	return Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

// MatchString reports whether s contains a match.
func (p Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }
