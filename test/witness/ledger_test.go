package witness

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTallyTellsWhatHappenedToEachEvent(t *testing.T) {
	t.Parallel()
	relay, restart, campaign := Name("relay", 1), Name("restart", 2), Name("campaign", 3)
	act := func(event string, channel Channel, unit, operation, group string) Act {
		return Act{Event: event, Channel: channel, Unit: unit, Operation: operation, Group: group}
	}
	for name, tt := range map[string]struct {
		events  []Event
		acts    []Act
		letters map[string]string
		want    Tally
		ok      bool
	}{
		"all acted once": {
			events: []Event{{Name: relay, Channel: HTTP, Repeatable: true}, {Name: restart, Channel: Chat}},
			acts:   []Act{act(relay, HTTP, "", "a", ""), act(restart, Chat, "", "b", "")},
			want:   Tally{Published: 2, Acted: 2}, ok: true,
		},
		"an at-most-once event that acts twice is a fault": {
			events: []Event{{Name: restart, Channel: HTTP}},
			acts:   []Act{act(restart, HTTP, "", "a", ""), act(restart, HTTP, "", "a", "")},
			want:   Tally{Published: 1, Acted: 1, ActedTwice: 1},
		},
		"two operations for one event are acting twice": {
			events: []Event{{Name: restart, Channel: HTTP}},
			acts:   []Act{act(restart, HTTP, "", "a", ""), act(restart, HTTP, "", "b", "")},
			want:   Tally{Published: 1, Acted: 2, ActedTwice: 1},
		},
		"an at-least-once event that acts twice is repeated": {
			events: []Event{{Name: relay, Channel: HTTP, Repeatable: true}},
			acts:   []Act{act(relay, HTTP, "", "a", ""), act(relay, HTTP, "", "a", "")},
			want:   Tally{Published: 1, Acted: 1, Repeated: 1}, ok: true,
		},
		"a webhook and its reply are two effects, not one twice": {
			events: []Event{{Name: restart, Channel: HTTP}},
			acts:   []Act{act(restart, HTTP, "", "a", ""), act(restart, Chat, "", "c", "")},
			want:   Tally{Published: 1, Acted: 1}, ok: true,
		},
		"a reply alone is not the effect": {
			events: []Event{{Name: restart, Channel: HTTP}},
			acts:   []Act{act(restart, Chat, "", "c", "")},
			want:   Tally{Published: 1, Lost: 1},
		},
		"what is parked or dead-lettered is not lost": {
			events:  []Event{{Name: restart, Channel: HTTP}, {Name: relay, Channel: HTTP}},
			letters: map[string]string{restart: "indeterminate", relay: "poison"},
			want:    Tally{Published: 2, Parked: 1, DeadLettered: 1}, ok: true,
		},
		"a campaign is lost while a message is missing": {
			events: []Event{{Name: campaign, Channel: Queue, Repeatable: true, Units: 2}},
			acts:   []Act{act(campaign, Queue, "k/0", "k/0", "dg01")},
			want:   Tally{Published: 1, Acted: 1, Lost: 1, Assigned: 1, ByGroup: map[string]int{"dg01": 1}},
		},
		"a campaign in two groups is a fault though it may repeat": {
			events: []Event{{Name: campaign, Channel: Queue, Repeatable: true, Units: 2}},
			acts:   []Act{act(campaign, Queue, "k/0", "k/0", "dg01"), act(campaign, Queue, "k/1", "k/1", "dg02")},
			want:   Tally{Published: 1, Acted: 1, ActedTwice: 1, Assigned: 1, ByGroup: map[string]int{"dg01": 1}},
		},
		"an act of nothing that was published is a stray": {
			acts: []Act{act(relay, HTTP, "", "a", ""), act("", HTTP, "", "a", ""), act(relay, HTTP, "", "", "")},
			want: Tally{Stray: 3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := NewLedger(time.Now)
			for _, e := range tt.events {
				l.Publishing(e)
			}
			for _, a := range tt.acts {
				l.Saw(a)
			}
			for event, reason := range tt.letters {
				l.Letter(event, reason)
			}
			got := l.Tally()
			if tt.want.ByGroup == nil {
				tt.want.ByGroup = map[string]int{}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("tally (-want +got):\n%s", diff)
			}
			if got.OK() != tt.ok {
				t.Errorf("OK is %v, want %v", got.OK(), tt.ok)
			}
		})
	}
}
