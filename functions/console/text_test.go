package console

import (
	"math"
	"testing"
	"time"
)

func TestNumbersReadAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for in, want := range map[float64]string{
		0: "0", 0.5: "0.5", 9.96: "10.0", 10.4: "10", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "−1,234", 1e18: "1e+18", math.Inf(1): "+Inf",
	} {
		if got := number(in); got != want {
			t.Errorf("number(%v) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[float64]string{
		0: "0 s", 0.01: "0 s", 0.64: "640 ms", 2: "2 s", 2.61: "2.6 s", 9.97: "10 s", 59.6: "60 s", 61: "1 min 01 s", 3599: "59 min 59 s", 3600: "1 h 00 min", 90000: "1 d 1 h", 1e300: "over 3 years", math.Inf(1): "over 3 years",
	} {
		if got := seconds(in); got != want {
			t.Errorf("seconds(%v) = %q, want %q", in, got, want)
		}
	}
	if got := Words(-time.Second); got != "0 ms" {
		t.Errorf("Words of the future = %q", got)
	}
}

func TestNothingTurnsTheDirectionOfWhatStandsAround(t *testing.T) {
	t.Parallel()
	if got, want := plain("a\u202eb\x00\n\xffשלום"), "a⟨U+202E⟩b⟨U+0000⟩⟨U+000A⟩\uFFFDשלום"; got != want {
		t.Errorf("plain = %q, want %q", got, want)
	}
	if got, want := body("a\r\n\tb\u2066"), "a\n\tb⟨U+2066⟩"; got != want {
		t.Errorf("body = %q, want %q", got, want)
	}
	if got, want := shown([]byte{0xff, 0x00}), "000000  ff 00\n"; got != want {
		t.Errorf("shown = %q, want %q", got, want)
	}
	if got := shown(make([]byte, 10<<20)); len(got) > 1<<20 {
		t.Errorf("10 MB are shown as %d bytes", len(got))
	}
}

func TestASparkNeedsTwoPointsAndLeavesGaps(t *testing.T) {
	t.Parallel()
	one, two := 1.0, 2.0
	if spark([]int64{1, 2}, []*float64{&one, nil}, "drain") != nil {
		t.Error("one point was drawn as a line")
	}
	s := spark([]int64{0, 60, 120, 180}, []*float64{&one, nil, &two, &one}, "drain")
	if s == nil || s.Line != "M0.0 18.0M160.0 2.0L240.0 18.0" {
		t.Errorf("line %+v", s)
	}
}
