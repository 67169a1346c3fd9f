package letter

import (
	"context"
	"errors"
	"time"
)

// Attribute names on published dead letters, beside the event's own attributes.
const (
	AttrKey      = "onceway-key"      // the frozen key; replays keep it
	AttrHandler  = "onceway-handler"  // other handlers on the topic acknowledge it unrun
	AttrReason   = "onceway-reason"   // why it was given up, in a word
	AttrAttempts = "onceway-attempts" // decimal
	AttrEpoch    = "onceway-epoch"    // decimal; the claim's epoch when it was given up
	AttrSource   = "onceway-source"   // "projects/P/subscriptions/S" that delivered it
	AttrTopic    = "onceway-topic"    // "projects/P/topics/T" to replay to
	AttrMessage  = "onceway-message"  // message ID of the delivery that was given up
	AttrError    = "onceway-error"    // last error, bounded
)

// Reasons that onceway itself gives.
const (
	Poison          = "poison"           // the handler can't read the data
	Permanent       = "permanent"        // the handler said that a retry can't help
	AttemptsSpent   = "attempts-spent"   // retried as often as allowed
	IndeterminateBy = "indeterminate"    // parked: it may have acted
	PayloadMismatch = "payload-mismatch" // a known key came with other data
	Forwarded       = "forwarded"        // Pub/Sub's own dead-letter policy gave it up
)

// Letter is a stored dead letter: the whole event, kept until a person or Sweep
// has settled it.
type Letter struct {
	// ID is the claim's ID where the key is known; for payload mismatches and
	// letters without a key it is a hash that repeats give again. See ID.
	ID string

	Key, Handler string // empty when Pub/Sub forwarded it under a new message ID
	Reason       string
	Attempts     int
	Epoch        int64
	Error        string

	Source    string // subscription that gave it up
	Topic     string // topic to replay to
	MessageID string // message ID of the letter itself on the dead-letter topic

	Attributes  map[string]string // the event's own attributes
	OrderingKey string
	Data        []byte
	PayloadHash string // SHA-256 hex of Data

	PublishedAt time.Time // when the dead-letter topic took it
	StoredAt    time.Time // set by the store
}

// ErrNotFound answers a Get for a letter that is not stored.
var ErrNotFound = errors.New("letter not found")

// ErrPage answers a List for a page that no List gave out.
var ErrPage = errors.New("no such page of letters")

// Store keeps letters. Methods block until the store answers and are safe for
// concurrent use. Bodies up to Pub/Sub's limit (10 MB) are kept whole.
type Store interface {
	// Put stores l under its ID, replacing what was there: a redelivered letter
	// changes nothing else. It answers only when the whole letter is durable.
	Put(ctx context.Context, l Letter) error
	Get(ctx context.Context, id string) (Letter, error)
	// List pages through letters, newest first where the backend can, without their Data.
	// page is empty for the first page, then the next answered; an empty next ends it. limit is 1 to 1000.
	// What is surely no page is answered with ErrPage.
	List(ctx context.Context, page string, limit int) (letters []Letter, next string, err error)
	// Delete removes a letter; removing one that is not there succeeds.
	Delete(ctx context.Context, id string) error
}
