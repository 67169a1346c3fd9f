package claim

import "time"

// Bounds of the fields that handlers and errors fill. Longer values are cut
// (subject, reason, error) or refused (result).
const (
	MaxSubject = 512
	MaxReason  = 128
	MaxError   = 512
	MaxSummary = 256
	MaxResult  = 32 << 10
	MaxTrace   = 16
)

// Record is the stored claim. A backend stores every field as it is and adds
// nothing: the state machine alone decides what is in it.
type Record struct {
	// ID is the document ID: see ID. Key and Handler are what it was made from.
	ID      string
	Key     string
	Handler string

	// Subject is what Verify needs to answer later, such as which deployment.
	Subject string
	Policy  Policy
	State   State

	// Owner is 128 random bits in hex, fresh for each delivery; empty when nobody owns the claim.
	Owner string
	// Epoch counts takeovers and replays from 1; it goes downstream as a fencing token.
	Epoch int64
	// WriteID is fresh in every write: it proves after a lost reply that a write was ours.
	WriteID string
	// Attempts counts claims and takeovers since the last operator's RETRY.
	Attempts int
	// Lease protects the owner, from the store's update time on. Zero or less is
	// unreadable: the claim is then held.
	Lease time.Duration
	// LeaseEnd is set when the claim is parked: the store time at which the last
	// owner's lease ends or ended. Zero otherwise.
	LeaseEnd time.Time

	// PayloadHash is the SHA-256 hex of the data bytes, frozen at decode time.
	PayloadHash string
	// OperationID is derived from handler and key: the same in all epochs.
	OperationID string

	// Reason says in a word why the state is RETRY, DEAD or INDETERMINATE.
	Reason    string
	LastError string
	// Result is what the handler left for repeats; may be nil.
	Result []byte
	// Republish says that RETRY was decided by Verify or a person and that the
	// kept event may still have to be published again.
	Republish bool

	Trace []Step

	// CreatedAt is informative, by the host's clock. ExpireAt is the TTL field:
	// zero but in DONE and DEAD.
	CreatedAt time.Time
	ExpireAt  time.Time

	// Summary describes the event to people: no payload, no secrets.
	Summary string
}

// Step is one transition in a record's trace, newest last.
type Step struct {
	At    time.Time // host clock, informative
	From  State     // empty for the first
	To    State
	By    string // "owner", "takeover", "verify", "sweep"; "operator" and who, or which act
	Epoch int64
}

// Stored is a record as a store answered with it.
type Stored struct {
	Record
	// Version changes with every write; opaque.
	Version string
	// Written is the store's time of the last write, Now the store's time of this answer.
	// Only their difference means anything: host clocks are never compared with them.
	Written time.Time
	Now     time.Time
}

// LeaseOver reports whether the owner's protection ended, by the store's own
// clock. A record without a readable lease or times is held: never over.
func (s Stored) LeaseOver() bool {
	if s.Lease <= 0 || s.Written.IsZero() || s.Now.IsZero() {
		return false
	}
	return s.Now.Sub(s.Written) > s.Lease
}
