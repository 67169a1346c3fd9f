//go:build emulators

package e2e

import (
	"strconv"
	"testing"
	"time"

	"onceway.internal/test/local"
	"onceway.internal/test/servers"
	"onceway.internal/test/wait"
	"onceway.internal/test/witness"
)

// killMidHandler has a worker killed after its effect and before its answer, and
// starts another one.
func (b *bench) killMidHandler(e witness.Event, own map[string]string) {
	b.t.Helper()
	h := newHolder()
	b.receive("/relay", witness.Faults{Hold: h.hold})
	b.t.Cleanup(func() { close(h.release) })
	b.subscribe("pull", "events", "")
	victim := b.worker("worker-1", "pull", own)
	b.publish(e, e.Name, nil)
	select {
	case <-h.inHand:
	case <-time.After(within):
		b.t.Fatal("the worker never called")
	}
	victim.Kill()
	b.worker("worker-2", "pull", own)
}

func TestKilledWorkersEventRunsAgainAtLeastOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e := relayed(1)
	b.killMidHandler(e, map[string]string{"ONCEWAY_RELAY_POLICY": "at-least-once"})
	b.logged("done", 1)
	b.want(witness.Tally{Published: 1, Acted: 1, Repeated: 1})
	first, second := b.ledger.Acts(e.Name)[0], b.ledger.Acts(e.Name)[1]
	if before, after := number(t, first.Epoch), number(t, second.Epoch); after <= before {
		t.Errorf("epochs %d and %d: the fencing token must grow", before, after)
	}
	if pause := second.At.Sub(first.At); pause < lease/2 {
		t.Errorf("it ran again after %v, while the lease of %v held", pause, lease)
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestKilledWorkersEventIsParkedAtMostOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e := relayed(1)
	e.Repeatable = false
	b.killMidHandler(e, map[string]string{"ONCEWAY_RELAY_POLICY": "at-most-once"})
	wait.Until(t, within, "the event is parked", func() bool { return b.ledger.Tally().Parked == 1 })
	b.logged("parked", 1)
	b.want(witness.Tally{Published: 1, Acted: 1, Parked: 1})
}

func TestPoisonReachesTheDeadLetterTopicWithItsReason(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	url := b.function("Campaigns", nil)
	b.subscribe("push", "events", b.tap(func() string { return url }, nil))
	e := witness.Event{Name: witness.Name("poison", 1), Channel: witness.Queue}
	b.publish(e, "no campaign: "+e.Name, nil)
	b.settled()
	if got := b.ledger.Reason(e.Name); got != "poison" {
		t.Errorf("reason %q, want poison", got)
	}
	b.want(witness.Tally{Published: 1, DeadLettered: 1})
}

func TestStoreDownMeansNackNotLoss(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.receive("/relay", witness.Faults{})
	link, err := local.NewLink(servers.Firestore(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(link.Cut)
	blind := b.function("Relay", map[string]string{"FIRESTORE_EMULATOR_HOST": link.Addr()})
	seeing := b.function("Relay", nil)
	target := make(chan string, 1)
	target <- blind
	b.subscribe("push", "events", b.tap(func() string {
		url := <-target
		target <- url
		return url
	}, nil))
	b.publish(relayed(1), relayed(1).Name, nil)
	b.logged("done", 1)
	link.Cut()
	for n := 2; n <= 4; n++ {
		b.publish(relayed(n), relayed(n).Name, nil)
	}
	b.logged("store-down", 3)
	b.want(witness.Tally{Published: 4, Acted: 1, Lost: 3}) // not yet: they wait in Pub/Sub
	<-target
	target <- seeing
	b.settled()
	b.want(witness.Tally{Published: 4, Acted: 4})
}
