package route

import (
	"context"
	"errors"
	"time"

	"onceway.internal/shared/groups"
)

// Errors of a state, matched by errors.Is. Any other error leaves open whether a
// write happened.
var (
	// ErrAssigned answers Commit: the campaign has an assignment, perhaps by this
	// very call, where a client library retried behind its back. Nothing changed.
	ErrAssigned = errors.New("campaign is already assigned")
	// ErrNotFound answers a read of what is not there.
	ErrNotFound = errors.New("not found")
	// ErrConflict answers PutSettings on a version that is no longer the stored one.
	ErrConflict = errors.New("settings changed meanwhile")
)

// BucketLength is the length of a ledger bucket.
const BucketLength = 10 * time.Second

// Bucket is what was routed to a group within a bucket's time.
type Bucket struct {
	Group   string
	Start   time.Time // store time, a multiple of BucketLength
	Size    int64     // messages in all
	Count   int64     // campaigns
	Largest int64     // messages of the largest campaign
}

// Retires is when the bucket can no longer matter to a figure: sample times from
// then on include all of it.
func (b Bucket) Retires() time.Time {
	return b.Start.Add(BucketLength + PublishWindow(b.Largest))
}

// PublishWindow is how long after its choice a campaign's messages may still be
// on their way to the first queue. Counting twice for a moment is the safe side.
func PublishWindow(size int64) time.Duration {
	return 5*time.Second + time.Duration(size)*time.Millisecond
}

// Snapshot is everything a choice needs, read at one moment.
type Snapshot struct {
	At       time.Time // the store's time of the read
	Figures  Figures   // nil when Score never ran
	Live     groups.Live
	Settings *Settings // nil: never stored
	Ledger   []Bucket  // in no order; a bucket may come in several parts (shards)
}

// State is what choosing needs. Methods block until the store answers or ctx
// ends, and are safe for concurrent use.
type State interface {
	// Read answers with one consistent snapshot in one round trip. Its ledger holds
	// at least every bucket that retires after the time given.
	Read(ctx context.Context, retiringAfter time.Time) (Snapshot, error)

	// Commit stores a's record if its campaign has none, and adds its size to the
	// ledger bucket of a.Group at a.At (no ledger when Group is empty): both or
	// nothing, in one round trip. It answers with the store's time of the write,
	// or ErrAssigned. After any other error the same a may be sent again: some
	// stores refuse under contention.
	Commit(ctx context.Context, a Assignment) (time.Time, error)

	// Assignment reads a campaign's record, or answers ErrNotFound. committed is
	// the store's time of its write.
	Assignment(ctx context.Context, campaign string) (a Assignment, committed time.Time, err error)
}

// Board is what Score writes and people read. Methods block until the store
// answers or ctx ends, and are safe for concurrent use.
type Board interface {
	// PutFigures merges f into what is stored (Figures.Merge), so that a late or
	// repeated call never replaces a newer sample, and answers with the result.
	PutFigures(ctx context.Context, f Figures) (Figures, error)

	// PutSettings replaces the settings if their version is still s.Version, else
	// answers ErrConflict.
	PutSettings(ctx context.Context, s Settings) error

	// PutRecommendations replaces each queue's recommendation unless the stored
	// one is newer.
	PutRecommendations(ctx context.Context, rs []Recommendation) error
	// Recommendation answers with a queue's latest, expired or not, and with the
	// store's time to judge that by; ErrNotFound when there is none.
	Recommendation(ctx context.Context, queue string) (r Recommendation, now time.Time, err error)

	// PutHistory keeps p until HistoryFor later; a second one of the same minute
	// replaces the first.
	PutHistory(ctx context.Context, p Past) error
	// History answers with what was kept since, oldest first, the latest MaxHistory at most.
	History(ctx context.Context, since time.Time) ([]Past, error)

	// Recent answers with the latest assignments, newest first; limit is 1 to 1000.
	Recent(ctx context.Context, limit int) ([]Assignment, error)
}

// Store is a whole backend.
type Store interface {
	State
	Board
}

// How long records are kept.
const (
	AssignmentFor = 30 * 24 * time.Hour
	HistoryFor    = 7 * 24 * time.Hour
	LedgerFor     = 24 * time.Hour
	// MaxHistory bounds one answer of History: more than a day of minutes.
	MaxHistory = 1500
)

// Past is what Score saw in one run.
type Past struct {
	At     time.Time   `json:"at"`
	Groups []Candidate `json:"groups"` // as Rank answered, without a campaign
	// Backlogs by group and queue, as sampled.
	Backlogs map[string]map[string]float64 `json:"backlogs"`
}

// Recommendation is what callers draw a topic from, for one queue name.
type Recommendation struct {
	Queue      string          `json:"queue"`
	At         time.Time       `json:"at"`         // when Score made it
	ValidUntil time.Time       `json:"validUntil"` // expired means absent
	Rule       Rule            `json:"rule"`
	Topics     []WeightedTopic `json:"topics"`
}

// WeightedTopic is a topic with its chance of being drawn; they sum to 1.
type WeightedTopic struct {
	Topic  string  `json:"topic"`
	Group  string  `json:"group"`
	Weight float64 `json:"weight"`
}
