package firestoregroups

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"onceway.internal/shared/groups"
)

// Names in the database. Forever is the "retires" of documents that stay.
const (
	Collection = "routing"
	DocID      = "groups"
	Forever    = int64(1) << 60
)

// Store implements groups.Store.
type Store struct {
	doc *firestore.DocumentRef
}

var _ groups.Store = (*Store)(nil)

type document struct {
	Retires int64  `firestore:"retires"`
	Live    []byte `firestore:"live"`
	// WriteID makes every write change the document, and with it its version.
	WriteID string `firestore:"writeID"`
}

// New returns a store in c; prefix begins the collection's name, and may be empty.
func New(c *firestore.Client, prefix string) (*Store, error) {
	if c == nil {
		return nil, errors.New("firestoregroups: no client")
	}
	return &Store{doc: c.Collection(prefix + Collection).Doc(DocID)}, nil
}

// Load implements groups.Store.
func (s *Store) Load(ctx context.Context) (groups.Live, error) {
	snap, err := s.doc.Get(ctx)
	if status.Code(err) == codes.NotFound && snap != nil {
		return groups.Live{ReadAt: snap.ReadTime}.Clone(), nil
	}
	if err != nil {
		return groups.Live{}, fmt.Errorf("load live state of groups: %w", err)
	}
	return Decode(snap)
}

// Decode reads a live state from its document.
func Decode(snap *firestore.DocumentSnapshot) (groups.Live, error) {
	var d document
	if err := snap.DataTo(&d); err != nil {
		return groups.Live{}, fmt.Errorf("decode live state of groups: %w", err)
	}
	var l groups.Live
	if err := json.Unmarshal(d.Live, &l); err != nil {
		return groups.Live{}, fmt.Errorf("decode live state of groups: %w", err)
	}
	l.Version, l.ReadAt = snap.UpdateTime.Format(time.RFC3339Nano), snap.ReadTime
	return l.Clone(), nil
}

// Swap implements groups.Store.
func (s *Store) Swap(ctx context.Context, l groups.Live) (groups.Live, error) {
	data, err := json.Marshal(l)
	if err != nil {
		return groups.Live{}, fmt.Errorf("encode live state of groups: %w", err)
	}
	done, err := s.write(ctx, l.Version, document{Retires: Forever, Live: data, WriteID: rand.Text()})
	switch status.Code(err) {
	case codes.OK:
	case codes.AlreadyExists, codes.FailedPrecondition, codes.NotFound:
		return groups.Live{}, fmt.Errorf("%w: %w", groups.ErrConflict, err)
	case codes.Aborted:
		return groups.Live{}, fmt.Errorf("%w: %w", groups.ErrBusy, err)
	default:
		return groups.Live{}, fmt.Errorf("swap live state of groups: %w", err)
	}
	l = l.Clone()
	l.Version, l.ReadAt = done.UpdateTime.Format(time.RFC3339Nano), done.UpdateTime
	return l, nil
}

func (s *Store) write(ctx context.Context, version string, d document) (*firestore.WriteResult, error) {
	if version == "" {
		return s.doc.Create(ctx, d)
	}
	at, err := time.Parse(time.RFC3339Nano, version)
	if err != nil {
		return nil, status.Error(codes.FailedPrecondition, "version is not one of this store")
	}
	return s.doc.Update(ctx, []firestore.Update{
		{Path: "retires", Value: d.Retires}, {Path: "live", Value: d.Live}, {Path: "writeID", Value: d.WriteID},
	}, firestore.LastUpdateTime(at))
}
