package route

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// Bounds of a campaign.
const (
	MaxID   = 512         // bytes of campaign and customer
	MaxSize = 100_000_000 // messages
)

// Campaign is what has to be routed.
type Campaign struct {
	ID       string
	Customer string // may be empty: nobody's reservation
	Size     int64  // messages; 0: unknown
}

// Validate names every fault.
func (c Campaign) Validate() error {
	var errs []error
	if c.ID == "" || len(c.ID) > MaxID {
		errs = append(errs, fmt.Errorf("campaign: must have 1 to %d bytes", MaxID))
	}
	if len(c.Customer) > MaxID {
		errs = append(errs, fmt.Errorf("customer: must have at most %d bytes", MaxID))
	}
	if c.Size < 0 || c.Size > MaxSize {
		errs = append(errs, fmt.Errorf("size: must be 0 (unknown) to %d messages", int64(MaxSize)))
	}
	return errors.Join(errs...)
}

// DocID is the document ID of a campaign's assignment.
func DocID(campaign string) string {
	sum := sha256.Sum256([]byte("assignment\x00" + campaign))
	return hex.EncodeToString(sum[:])
}

// Rule says which rule gave an answer.
type Rule string

// The rules. The first six are the policies at work on figures or in turn, the
// others what happens when something is not known.
const (
	ByCorrected          Rule = "ledger-corrected-score"
	ByTwoChoices         Rule = "two-choices"
	ByRoundRobin         Rule = "round-robin"
	ByWeightedRoundRobin Rule = "weighted-round-robin"
	ByLowest             Rule = "lowest-sampled-score"
	ByStatic             Rule = "static"

	ByHeldStale     Rule = "stale-held"           // by score, whose sample is older than FreshFor
	ByHeldMissing   Rule = "missing-held"         // by score, whose series has a gap
	ByCapacityShare Rule = "capacity-share"       // its sample is too old to hold: its share by capacity
	ByProbe         Rule = "probe"                // no series yet: one campaign each scoring period
	ByCapacity      Rule = "capacity-round-robin" // no group has a usable score

	ByStateDown        Rule = "state-down-round-robin" // store down: last known groups and reservations
	ByStateDownOpen    Rule = "state-down-open-groups" // store down, no reservations known: open groups
	ByStateDownDefault Rule = "state-down-default"     // and no group is open: the default topic
	ByOverflow         Rule = "overflow"               // every group is closed to the customer
)

// ErrNoGroup says that every group is closed to the customer and that no
// overflow topic is configured.
var ErrNoGroup = errors.New("no group may take this campaign")

// Candidate is one group as it stood in a choice.
type Candidate struct {
	Group string `json:"group"`
	// Score is in seconds (mode drain) or messages, this campaign included.
	Score float64 `json:"score"`
	// Sampled is the score at the sample's time, without ledger and campaign.
	Sampled float64 `json:"sampled"`
	// Correction is what ledger and drain since the sample made of it.
	Correction float64       `json:"correction"`
	Data       Data          `json:"data"`
	SampleAge  time.Duration `json:"sampleAge,omitempty"` // 0 when there never was a sample
	Capacity   float64       `json:"capacity"`            // bottleneck rate, messages of the first queue per second
	// Why not, when the group was no candidate after all: a groups.Why or WhyProbed.
	Why string `json:"why,omitempty"`
	// ReservedFor counts the customers of the reservation that holds; 0: none.
	ReservedFor int `json:"reservedFor,omitempty"`

	usable bool // has a score that may be compared
	share  bool // gets a capacity share instead
}

// WhyProbed says that a group without any series had its campaign of this period.
const WhyProbed = "probed"

// Assignment is the answer for a campaign, and its record. It explains itself.
type Assignment struct {
	Campaign string `json:"campaign"`
	Customer string `json:"customer,omitempty"`
	Size     int64  `json:"size"` // as counted; see Settings.TypicalSize

	Group  string `json:"group,omitempty"` // empty for the overflow topic
	Topic  string `json:"topic"`           // full name
	Policy Policy `json:"policy"`
	Rule   Rule   `json:"rule"`
	Reason string `json:"reason"`

	At         time.Time   `json:"at"` // the store's time of the choice; zero when unknown
	Candidates []Candidate `json:"candidates,omitempty"`

	// Token is fresh in every write; it proves after a lost reply whose record it is.
	Token string `json:"-"`
	// Recorded is false when the store did not take it: whoever needs one answer
	// per campaign must not act on it.
	Recorded bool `json:"recorded"`
	// Repeated says that the campaign had this answer already.
	Repeated bool `json:"repeated,omitempty"`

	unread bool // chosen while the state could not be read
}
