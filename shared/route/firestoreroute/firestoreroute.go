package firestoreroute

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"onceway.internal/shared/groups/firestoregroups"
	"onceway.internal/shared/route"
)

// Config of a Store.
type Config struct {
	Prefix string // begins every collection's name; may be empty
	Shards int    // of a ledger bucket, 1 to 64: campaigns a second for each group
}

// Store implements route.Store.
type Store struct {
	client      *firestore.Client
	routing     *firestore.CollectionRef
	assignments *firestore.CollectionRef
	advice      *firestore.CollectionRef
	history     *firestore.CollectionRef
	shards      uint32
}

var _ route.Store = (*Store)(nil)

// IDs in the routing collection beside the ledger's.
const (
	figuresID  = "figures"
	settingsID = "settings"
	anchorID   = "anchor"
)

// New returns a store in c. It reads nothing yet.
func New(c *firestore.Client, cfg Config) (*Store, error) {
	if c == nil {
		return nil, errors.New("firestoreroute: no client")
	}
	if cfg.Shards < 1 || cfg.Shards > 64 {
		return nil, fmt.Errorf("firestoreroute: shards: %d is not between 1 and 64", cfg.Shards)
	}
	return &Store{
		client: c, shards: uint32(cfg.Shards),
		routing:     c.Collection(cfg.Prefix + firestoregroups.Collection),
		assignments: c.Collection(cfg.Prefix + "assignments"),
		advice:      c.Collection(cfg.Prefix + "recommendations"),
		history:     c.Collection(cfg.Prefix + "routing-history"),
	}, nil
}

// bucket is a ledger document as it is read.
type bucket struct {
	Group   string    `firestore:"group"`
	Start   time.Time `firestore:"start"`
	Size    int64     `firestore:"size"`
	Count   int64     `firestore:"count"`
	Largest int64     `firestore:"largest"`
}

// Read implements route.State by one query.
func (s *Store) Read(ctx context.Context, after time.Time) (route.Snapshot, error) {
	snap, err := s.query(ctx, after)
	if err == nil && snap.At.IsZero() {
		// The collection is empty, and an empty answer tells no time.
		if err = s.anchor(ctx); err == nil {
			snap, err = s.query(ctx, after)
		}
	}
	if err != nil {
		return route.Snapshot{}, fmt.Errorf("read routing state: %w", err)
	}
	return snap, nil
}

func (s *Store) query(ctx context.Context, after time.Time) (route.Snapshot, error) {
	var snap route.Snapshot
	docs := s.routing.Where("retires", ">", after.UnixMilli()).Documents(ctx)
	defer docs.Stop()
	for {
		d, err := docs.Next()
		if errors.Is(err, iterator.Done) {
			return snap, nil
		}
		if err == nil {
			err = add(&snap, d)
		}
		if err != nil {
			return snap, err
		}
		// Later documents of one answer may be read later; the earliest time holds for all.
		if snap.At.IsZero() || d.ReadTime.Before(snap.At) {
			snap.At = d.ReadTime
		}
	}
}

func add(snap *route.Snapshot, d *firestore.DocumentSnapshot) (err error) {
	switch d.Ref.ID {
	case anchorID:
	case firestoregroups.DocID:
		snap.Live, err = firestoregroups.Decode(d)
	case figuresID:
		err = decode(d, &snap.Figures)
	case settingsID:
		snap.Settings = &route.Settings{}
		err = decode(d, snap.Settings)
		snap.Settings.Version = version(d.UpdateTime)
	default:
		var b bucket
		err = d.DataTo(&b)
		snap.Ledger = append(snap.Ledger, route.Bucket(b))
	}
	if err != nil {
		return fmt.Errorf("decode %s: %w", d.Ref.ID, err)
	}
	return nil
}

// anchor makes sure that the collection is never empty.
func (s *Store) anchor(ctx context.Context) error {
	_, err := s.routing.Doc(anchorID).Create(ctx, map[string]any{"retires": firestoregroups.Forever})
	if status.Code(err) == codes.AlreadyExists {
		return nil
	}
	return err
}

// shard spreads the campaigns of one bucket over its documents.
func (s *Store) shard(campaign string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(campaign))
	return h.Sum32() % s.shards
}
