package console

import (
	"fmt"
	"math"
	"strings"
)

// Spark is a small line of a group's scores, drawn here so that it needs no JavaScript.
type Spark struct {
	Line  string // an SVG path in a box of sparkWide × sparkHigh
	Label string // the same in words
}

const (
	sparkWide = 240
	sparkHigh = 36
)

// spark draws one column; nil where there is too little to draw.
func spark(at []int64, values []*float64, mode string) *Spark {
	low, high, last, n := math.Inf(1), math.Inf(-1), 0.0, 0
	for _, v := range values {
		if v != nil {
			low, high, last = min(low, *v), max(high, *v), *v
			n++
		}
	}
	if n < 2 || at[len(at)-1] == at[0] {
		return nil
	}
	var b strings.Builder
	pen := "M"
	span, top := float64(at[len(at)-1]-at[0]), max(high, 1)
	for i, v := range values {
		if v == nil {
			pen = "M"
			continue
		}
		x := float64(at[i]-at[0]) / span * sparkWide
		y := sparkHigh - 2 - *v/top*(sparkHigh-4)
		fmt.Fprintf(&b, "%s%.1f %.1f", pen, x, y)
		pen = "L"
	}
	return &Spark{
		Line:  b.String(),
		Label: fmt.Sprintf("Score over the last hour: from %s to %s, now %s", score(&low, mode), score(&high, mode), score(&last, mode)),
	}
}
