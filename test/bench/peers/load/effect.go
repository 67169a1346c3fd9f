package load

import (
	"strconv"
	"sync/atomic"
)

// Effect is the function that is guarded. It does next to nothing, so that what
// is measured is the guard.
type Effect struct{ runs atomic.Int64 }

// Run answers with something that no other run answers.
func (f *Effect) Run(key string) []byte {
	out := make([]byte, 0, len(key)+32)
	out = append(out, `{"key":"`...)
	out = append(out, key...)
	out = append(out, `","run":`...)
	out = strconv.AppendInt(out, f.runs.Add(1), 10)
	return append(out, '}')
}

func (f *Effect) count() int { return int(f.runs.Load()) }
