package firestoreclaim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"onceway.internal/shared/claim"
)

// Store implements claim.Store and claim.Lister.
type Store struct {
	claims *firestore.CollectionRef
}

var (
	_ claim.Store  = (*Store)(nil)
	_ claim.Lister = (*Store)(nil)
)

// New returns a store in the collection <prefix>claims. It does no I/O; the
// client stays the caller's to close.
func New(client *firestore.Client, prefix string) (*Store, error) {
	if client == nil {
		return nil, errors.New("open Firestore claim store: client is nil")
	}
	claims := client.Collection(prefix + "claims")
	if claims == nil {
		return nil, fmt.Errorf("open Firestore claim store: prefix %q makes no collection name", prefix)
	}
	return &Store{claims: claims}, nil
}

// Create implements claim.Store.
func (s *Store) Create(ctx context.Context, r claim.Record) (claim.Stored, error) {
	doc, err := s.doc(r.ID)
	if err != nil {
		return claim.Stored{}, fmt.Errorf("create claim: %w", err)
	}
	res, err := doc.Create(ctx, encode(r).present())
	switch status.Code(err) {
	case codes.OK:
		return written(r, res), nil
	case codes.AlreadyExists:
		return claim.Stored{}, claim.ErrExists
	default:
		return claim.Stored{}, fmt.Errorf("create claim: %w", err)
	}
}

// Get implements claim.Store.
func (s *Store) Get(ctx context.Context, id string) (claim.Stored, error) {
	doc, err := s.doc(id)
	if err != nil {
		return claim.Stored{}, fmt.Errorf("get claim: %w", err)
	}
	snap, err := doc.Get(ctx)
	switch status.Code(err) {
	case codes.OK:
		return read(snap)
	case codes.NotFound:
		return claim.Stored{}, claim.ErrNotFound
	case codes.PermissionDenied, codes.Unauthenticated:
		return claim.Stored{}, fmt.Errorf("get claim: %w: %w", claim.ErrUnusable, err)
	default:
		return claim.Stored{}, fmt.Errorf("get claim: %w", err)
	}
}

// Swap implements claim.Store.
func (s *Store) Swap(ctx context.Context, id, version string, r claim.Record) (claim.Stored, error) {
	doc, err := s.doc(id)
	if err == nil && r.ID != id {
		err = errors.New("the record has another ID")
	}
	if err != nil {
		return claim.Stored{}, fmt.Errorf("swap claim: %w", err)
	}
	updated, err := time.Parse(time.RFC3339Nano, version)
	if err != nil {
		return claim.Stored{}, claim.ErrConflict // no document ever had this version
	}
	res, err := doc.Update(ctx, encode(r).updates(), firestore.LastUpdateTime(updated))
	switch status.Code(err) {
	case codes.OK:
		if res.UpdateTime.Equal(updated) { // Firestore keeps the time of a write that changes nothing
			return claim.Stored{}, errors.New("swap claim: the record has no fresh write ID")
		}
		return written(r, res), nil
	case codes.FailedPrecondition:
		return claim.Stored{}, claim.ErrConflict
	case codes.NotFound:
		return claim.Stored{}, claim.ErrNotFound
	default:
		return claim.Stored{}, fmt.Errorf("swap claim: %w", err)
	}
}

func (s *Store) doc(id string) (*firestore.DocumentRef, error) {
	doc := s.claims.Doc(id)
	if doc == nil {
		return nil, fmt.Errorf("%q is no document ID", id)
	}
	return doc, nil
}

// written is the answer to a write, without reading back.
func written(r claim.Record, res *firestore.WriteResult) claim.Stored {
	return claim.Stored{Record: r, Version: version(res.UpdateTime), Written: res.UpdateTime, Now: res.UpdateTime}
}

func read(snap *firestore.DocumentSnapshot) (claim.Stored, error) {
	s := claim.Stored{Version: version(snap.UpdateTime), Written: snap.UpdateTime, Now: snap.ReadTime}
	r, err := decode(snap.Data())
	if err != nil {
		s.ID = snap.Ref.ID
		return s, fmt.Errorf("%w: %w", claim.ErrUnreadable, err)
	}
	s.Record = r
	s.ID = snap.Ref.ID
	return s, nil
}

func version(updated time.Time) string { return updated.UTC().Format(time.RFC3339Nano) }
