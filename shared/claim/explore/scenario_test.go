package explore

import (
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/once"
)

// The times of every world. Only their order matters.
const (
	lease          = 60 * time.Second
	handlerTimeout = 30 * time.Second
	settleAfter    = 5 * time.Minute
	waitPoll       = time.Second
	maxAttempts    = 2
)

// bounds limit what may happen in one schedule.
type bounds struct {
	onA, onB int // deliveries that host A and host B get
	faults   int // lost calls and replies, late writes, deaths, failing publications, lost acks
	mishaps  int // answers of the handler other than acting and saying so
	acts     int // sweeps and people
	again    int // deliveries after the acknowledgement
	switches int // times that a process is left for another while it could go on
}

// covers reports whether all that may happen under b may happen under a.
func (a bounds) covers(b bounds) bool {
	return a.faults >= b.faults && a.mishaps >= b.mishaps && a.acts >= b.acts && a.again >= b.again && a.switches >= b.switches
}

// scenario is a world to explore.
type scenario struct {
	name   string
	policy claim.Policy
	begins bool // the handler calls Begin
	bounds

	sweep, person, replay bool // who may act

	finishBudget time.Duration // 0: one repeat
	skewB        time.Duration // how wrong host B's clock is
	poisonOnA    bool          // host A runs a release that can't read the event
	twoPayloads  bool          // the key comes with a second payload
	panics       bool          // the handler may panic too, which counts as failing
	beats        bool          // deliveries on B extend their lease by hand
	looks        bool          // note what every state looks like from outside
	whole        bool          // remember everything: see TestNothingIsLostByForgetting
	plant        plant
}

// plant is what a wrong implementation would do, put around the ports.
type plant struct {
	store    func(*world, claim.Store) claim.Store
	lister   func(*world, claim.Lister) claim.Lister
	token    func(*proc) string
	ack      func(*proc, once.Report) bool
	dropped  bool // republications vanish
	lookOnly bool // a person looks at the world first and at the claim afterwards
	noLetter bool // dead letters vanish
}

func (s scenario) destructive() bool { return !s.policy.Repeatable() }

func (s scenario) budget() time.Duration {
	if s.finishBudget != 0 {
		return s.finishBudget
	}
	return 60 * time.Millisecond
}
