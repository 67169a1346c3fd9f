// Package pattern holds regular expressions that are compiled at their first use. A
// binary with many functions has many patterns, and compiling those that one function
// never asks for was a tenth of its cold start.
package pattern

import (
	"math"
	"regexp"
	"sync"
)

// Pattern is a regular expression. Safe for concurrent use.
type Pattern struct {
	compiled    func() *regexp.Regexp
	least, most int // bytes
}

// Lazy is regexp.MustCompile, but panics at the first use.
func Lazy(expr string) Pattern { return Bounded(0, math.MaxInt, expr) }

// Bounded is Lazy for texts of least to most bytes. As repetitions in the expression
// such bounds would make it large, and slow to compile.
func Bounded(least, most int, expr string) Pattern {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
	return Pattern{compiled: compiled, least: least, most: most}
}

// MatchString reports whether s contains a match.
func (p Pattern) MatchString(s string) bool {
	return p.least <= len(s) && len(s) <= p.most && p.compiled().MatchString(s)
}
