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
	"onceway.internal/shared/claim/stored"
	"onceway.internal/shared/letter"
)

// tries bounds how often an operation begins again because another Put or Delete
// of the same letter came between.
const tries = 10

// Letters implements letter.Store.
type Letters struct {
	client  *firestore.Client
	letters *firestore.CollectionRef
}

var _ letter.Store = (*Letters)(nil)

// NewLetters returns a store in the collection <prefix>letters. It does no I/O;
// the client stays the caller's to close.
func NewLetters(client *firestore.Client, prefix string) (*Letters, error) {
	if client == nil {
		return nil, errors.New("open Firestore letter store: client is nil")
	}
	letters := client.Collection(prefix + "letters")
	if letters == nil {
		return nil, fmt.Errorf("open Firestore letter store: prefix %q makes no collection name", prefix)
	}
	return &Letters{client: client, letters: letters}, nil
}

// Put implements letter.Store: the chunks, then the head, then the chunks that
// the head before it named.
func (s *Letters) Put(ctx context.Context, l letter.Letter) error {
	if err := s.put(ctx, l); err != nil {
		return fmt.Errorf("put letter: %w", err)
	}
	return nil
}

func (s *Letters) put(ctx context.Context, l letter.Letter) error {
	doc := s.letters.Doc(l.ID)
	if doc == nil {
		return fmt.Errorf("%q is no document ID", l.ID)
	}
	json, err := stored.EncodeLetter(l)
	if err != nil {
		return err
	}
	b := body{generation: claim.NewToken(), chunks: cut(l.Data)}
	if err := b.write(ctx, doc); err != nil {
		return err
	}
	f := fields{
		"head":       string(json),
		"generation": b.generation,
		"chunks":     len(b.chunks),
		"data":       firestore.Delete,
		"storedAt":   firestore.ServerTimestamp,
	}
	if len(b.chunks) == 0 {
		f["data"] = blob(l.Data)
	}
	replaced, err := replace(ctx, doc, f, b.generation)
	if err != nil {
		return err
	}
	return s.deleteChunks(ctx, replaced.refs(doc))
}

// replace writes the head and tells what the head before it named. Every head is
// replaced by one Put only, so every Put's chunks are removed by one.
func replace(ctx context.Context, doc *firestore.DocumentRef, f fields, generation string) (old body, err error) {
	for range tries {
		snap, err := doc.Get(ctx)
		switch status.Code(err) {
		case codes.NotFound:
			old = body{}
			_, err = doc.Create(ctx, f.present())
		case codes.OK:
			found, ferr := named(snap)
			if ferr != nil {
				return body{}, ferr
			}
			if found.generation == generation { // the reply to our own write was lost
				return old, nil
			}
			old = found
			_, err = doc.Update(ctx, f.updates(), firestore.LastUpdateTime(snap.UpdateTime))
		}
		switch status.Code(err) {
		case codes.OK:
			return old, nil
		case codes.AlreadyExists, codes.FailedPrecondition, codes.NotFound:
			continue
		default:
			return body{}, err
		}
	}
	return body{}, fmt.Errorf("others wrote it %d times meanwhile", tries)
}

// Get implements letter.Store. Where a Put replaced the chunks between the two
// reads, it begins again.
func (s *Letters) Get(ctx context.Context, id string) (letter.Letter, error) {
	doc := s.letters.Doc(id)
	if doc == nil {
		return letter.Letter{}, letter.ErrNotFound
	}
	for range tries {
		snap, err := doc.Get(ctx)
		if status.Code(err) == codes.NotFound {
			return letter.Letter{}, letter.ErrNotFound
		}
		if err != nil {
			return letter.Letter{}, fmt.Errorf("get letter: %w", err)
		}
		l, err := s.whole(ctx, snap)
		if !errors.Is(err, errChunkGone) {
			return l, err
		}
	}
	return letter.Letter{}, fmt.Errorf("get letter %s: %w", id, errChunkGone)
}

func (s *Letters) whole(ctx context.Context, snap *firestore.DocumentSnapshot) (letter.Letter, error) {
	l, err := readHead(snap)
	if err != nil {
		return letter.Letter{}, err
	}
	b, err := named(snap)
	if err != nil {
		return letter.Letter{}, err
	}
	if b.count == 0 {
		d := decoder{doc: snap.Data()}
		l.Data = may[[]byte](&d, "data")
		return l, d.err
	}
	l.Data, err = s.readChunks(ctx, b.refs(snap.Ref))
	return l, err
}

// Delete implements letter.Store: the head, then its chunks, then chunks so old
// that no Put can be about to name them.
func (s *Letters) Delete(ctx context.Context, id string) error {
	doc := s.letters.Doc(id)
	if doc == nil {
		return nil
	}
	if err := s.remove(ctx, doc); err != nil {
		return fmt.Errorf("delete letter: %w", err)
	}
	return nil
}

func (s *Letters) remove(ctx context.Context, doc *firestore.DocumentRef) error {
	for range tries {
		snap, err := doc.Get(ctx)
		if status.Code(err) == codes.NotFound {
			return s.deleteAbandoned(ctx, doc)
		}
		if err != nil {
			return err
		}
		// What a head names is removed even if the head can't be read.
		b, _ := named(snap)
		_, err = doc.Delete(ctx, firestore.LastUpdateTime(snap.UpdateTime))
		switch status.Code(err) {
		case codes.OK:
			return errors.Join(s.deleteChunks(ctx, b.refs(doc)), s.deleteAbandoned(ctx, doc))
		case codes.FailedPrecondition, codes.NotFound:
			continue
		default:
			return err
		}
	}
	return fmt.Errorf("others wrote it %d times meanwhile", tries)
}

func readHead(snap *firestore.DocumentSnapshot) (letter.Letter, error) {
	d := decoder{doc: snap.Data()}
	json, at := must[string](&d, "head"), must[time.Time](&d, "storedAt")
	if d.err != nil {
		return letter.Letter{ID: snap.Ref.ID}, fmt.Errorf("read letter %s: %w", snap.Ref.ID, d.err)
	}
	l, err := stored.DecodeLetter(snap.Ref.ID, []byte(json))
	l.StoredAt = at
	return l, err
}
