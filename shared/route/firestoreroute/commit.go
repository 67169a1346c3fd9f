package firestoreroute

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"onceway.internal/shared/route"
)

// assignment is a stored record: a few fields to look at and select by, and all
// of it in one.
type assignment struct {
	Campaign string    `firestore:"campaign"`
	Group    string    `firestore:"group"`
	Rule     string    `firestore:"rule"`
	At       time.Time `firestore:"at"`
	Token    string    `firestore:"token"`
	Record   []byte    `firestore:"record"`
	ExpireAt time.Time `firestore:"expireAt"`
}

// Commit implements route.State. The batch is atomic: when the record is there
// already, the ledger stays as it was.
func (s *Store) Commit(ctx context.Context, a route.Assignment) (time.Time, error) {
	record, err := json.Marshal(a)
	if err != nil {
		return time.Time{}, fmt.Errorf("encode assignment: %w", err)
	}
	batch := s.client.Batch() //nolint:staticcheck // BulkWriter, which is to replace it, is not atomic
	batch.Create(s.assignments.Doc(route.DocID(a.Campaign)), assignment{
		Campaign: a.Campaign, Group: a.Group, Rule: string(a.Rule), At: a.At, Token: a.Token,
		Record: record, ExpireAt: a.At.Add(route.AssignmentFor),
	})
	if a.Group != "" {
		s.count(batch, a)
	}
	done, err := batch.Commit(ctx)
	if status.Code(err) == codes.AlreadyExists {
		return time.Time{}, route.ErrAssigned
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("commit assignment: %w", err)
	}
	return done[0].UpdateTime, nil
}

// count adds a to its bucket's shard, whether or not that is there yet.
func (s *Store) count(batch *firestore.WriteBatch, a route.Assignment) { //nolint:staticcheck // see Commit
	start := a.At.UTC().Truncate(route.BucketLength)
	one := route.Bucket{Group: a.Group, Start: start, Largest: a.Size}
	doc := s.routing.Doc(fmt.Sprintf("ledger-%s-%d-%d", a.Group, start.Unix(), s.shard(a.Campaign)))
	batch.Set(doc, map[string]any{
		"group": a.Group, "start": start,
		"size": firestore.Increment(a.Size), "count": firestore.Increment(1),
		"largest":  firestore.FieldTransformMaximum(a.Size),
		"retires":  firestore.FieldTransformMaximum(one.Retires().UnixMilli()),
		"expireAt": start.Add(route.LedgerFor),
	}, firestore.MergeAll)
}

// Assignment implements route.State.
func (s *Store) Assignment(ctx context.Context, campaign string) (route.Assignment, time.Time, error) {
	snap, err := s.assignments.Doc(route.DocID(campaign)).Get(ctx)
	if status.Code(err) == codes.NotFound {
		return route.Assignment{}, time.Time{}, route.ErrNotFound
	}
	if err != nil {
		return route.Assignment{}, time.Time{}, fmt.Errorf("read assignment: %w", err)
	}
	a, err := read(snap)
	return a, snap.UpdateTime, err
}

// Recent implements route.Board.
func (s *Store) Recent(ctx context.Context, limit int) ([]route.Assignment, error) {
	snaps, err := s.assignments.OrderBy("at", firestore.Desc).Limit(limit).Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("list assignments: %w", err)
	}
	out := make([]route.Assignment, len(snaps))
	for i, snap := range snaps {
		if out[i], err = read(snap); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func read(snap *firestore.DocumentSnapshot) (route.Assignment, error) {
	var d assignment
	if err := snap.DataTo(&d); err != nil {
		return route.Assignment{}, fmt.Errorf("decode assignment: %w", err)
	}
	var a route.Assignment
	if err := json.Unmarshal(d.Record, &a); err != nil {
		return route.Assignment{}, fmt.Errorf("decode assignment: %w", err)
	}
	a.Token, a.Recorded = d.Token, true
	return a, nil
}
