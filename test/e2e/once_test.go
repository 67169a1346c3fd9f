//go:build emulators

package e2e

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/test/wait"
	"onceway.internal/test/witness"
)

func relayed(n int) witness.Event {
	return witness.Event{Name: witness.Name("relay", n), Channel: witness.HTTP, Repeatable: true}
}

func (b *bench) want(want witness.Tally) {
	b.t.Helper()
	if want.ByGroup == nil {
		want.ByGroup = map[string]int{}
	}
	if diff := cmp.Diff(want, b.ledger.Tally()); diff != "" {
		b.t.Errorf("the witness's count (-want +got):\n%s", diff)
	}
}

func TestSameMessagePublishedTwiceActsOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.receive("/relay", witness.Faults{})
	url := b.function("Relay", nil)
	b.subscribe("push", "events", b.tap(func() string { return url }, nil))
	e := relayed(1)
	for range 2 {
		b.publish(e, e.Name, map[string]string{"onceway-key": e.Name})
	}
	b.logged("duplicate", 1)
	b.settled()
	b.want(witness.Tally{Published: 1, Acted: 1})
}

func TestRepeatedDeliveryOfOneMessageActsOnce(t *testing.T) {
	t.Parallel()
	for name, way := range map[string]witness.Repeat{"beside": witness.Beside, "after": witness.After} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.receive("/relay", witness.Faults{})
			url := b.function("Relay", nil)
			b.subscribe("push", "events", b.tap(func() string { return url }, func(string) witness.Repeat { return way }))
			for n := range 5 {
				b.publish(relayed(n), relayed(n).Name, nil)
			}
			b.logged("duplicate", 5)
			b.settled()
			b.want(witness.Tally{Published: 5, Acted: 5})
		})
	}
}

func TestTwoReplicasActOnceEachAndMissNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.receive("/relay", witness.Faults{})
	b.subscribe("pull", "events", "")
	b.worker("worker-1", "pull", nil)
	b.worker("worker-2", "pull", nil)
	const pairs = 10
	for pair := range pairs {
		var both sync.WaitGroup
		for n := range 2 {
			e := relayed(2*pair + n)
			both.Go(func() { b.publish(e, e.Name, nil) })
		}
		both.Wait()
	}
	b.settled()
	b.logged("done", 2*pairs)
	b.want(witness.Tally{Published: 2 * pairs, Acted: 2 * pairs})
}

func TestPushAndPullOnOneTopicActOnceTogether(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.receive("/relay", witness.Faults{})
	url := b.function("Relay", nil)
	b.subscribe("push", "events", b.tap(func() string { return url }, nil))
	b.subscribe("pull", "events", "")
	b.worker("worker", "pull", nil)
	const events = 10
	for n := range events {
		b.publish(relayed(n), relayed(n).Name, nil)
	}
	b.logged("done", events)
	b.logged("duplicate", events)
	b.want(witness.Tally{Published: events, Acted: events})
}

func TestHandlerThatFailsOnceIsRetried(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.receive("/relay", witness.Faults{FailFirst: func(string) bool { return true }})
	url := b.function("Relay", nil)
	b.subscribe("push", "events", b.tap(func() string { return url }, nil))
	b.publish(relayed(1), relayed(1).Name, nil)
	b.settled()
	b.logged("retry", 1)
	b.want(witness.Tally{Published: 1, Acted: 1})
	wait.Until(t, within, "two deliveries", func() bool { total, _ := b.counts.Counts(); return total == 2 })
}
