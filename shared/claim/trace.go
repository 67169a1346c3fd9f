package claim

import (
	"time"
	"unicode/utf8"
)

var zeroTime time.Time

// appendStep keeps the trace short: the first step stays, then the newest. It never
// writes into the array behind steps, which another copy of the record may share.
func appendStep(steps []Step, s Step) []Step {
	out := make([]Step, 0, len(steps)+1)
	if len(steps) >= MaxTrace {
		out = append(out, steps[0])
		steps = steps[len(steps)-MaxTrace+2:]
	}
	return append(append(out, steps...), s)
}

// Cut shortens s to at most n bytes without splitting a character, and drops
// what is not UTF-8: some stores refuse it.
func Cut(s string, n int) string {
	if len(s) <= n && utf8.ValidString(s) {
		return s
	}
	out := make([]byte, 0, min(len(s), n))
	for _, r := range s {
		if len(out)+utf8.RuneLen(r) > n {
			break
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}
