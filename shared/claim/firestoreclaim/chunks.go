package firestoreclaim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
)

const (
	// chunkBytes leaves room in a document of 1 MiB for the head and for names.
	chunkBytes = 900 << 10
	// abandonedAfter is longer than any Put can take between its chunks and its head.
	abandonedAfter = time.Hour
)

var errChunkGone = errors.New("a part of the body is gone")

// body is what a head names: its chunks, by generation and count.
type body struct {
	generation string
	count      int
	chunks     [][]byte // only when writing
}

// cut splits data that is too large for one document; smaller data needs no chunks.
func cut(data []byte) (chunks [][]byte) {
	if len(data) <= chunkBytes {
		return nil
	}
	for len(data) > 0 {
		n := min(len(data), chunkBytes)
		chunks = append(chunks, data[:n])
		data = data[n:]
	}
	return chunks
}

// named reads what a head names.
func named(snap *firestore.DocumentSnapshot) (body, error) {
	d := decoder{doc: snap.Data()}
	b := body{generation: must[string](&d, "generation"), count: int(must[int64](&d, "chunks"))}
	if d.err != nil {
		return body{}, fmt.Errorf("read letter %s: %w", snap.Ref.ID, d.err)
	}
	return b, nil
}

func (b body) refs(doc *firestore.DocumentRef) []*firestore.DocumentRef {
	refs := make([]*firestore.DocumentRef, b.count)
	for i := range refs {
		refs[i] = doc.Collection("chunks").Doc(fmt.Sprintf("%s-%06d", b.generation, i))
	}
	return refs
}

// write stores the chunks one at a time: a commit takes 10 MiB at most, and a
// dead letter is in no hurry.
func (b body) write(ctx context.Context, doc *firestore.DocumentRef) error {
	refs := body{generation: b.generation, count: len(b.chunks)}.refs(doc)
	for i, chunk := range b.chunks {
		if _, err := refs[i].Set(ctx, map[string]any{"data": chunk}); err != nil {
			return fmt.Errorf("write part %d of %d: %w", i+1, len(refs), err)
		}
	}
	return nil
}

func (s *Letters) readChunks(ctx context.Context, refs []*firestore.DocumentRef) ([]byte, error) {
	snaps, err := s.client.GetAll(ctx, refs)
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	var data []byte
	for _, snap := range snaps {
		if !snap.Exists() {
			return nil, errChunkGone
		}
		d := decoder{doc: snap.Data()}
		data = append(data, must[[]byte](&d, "data")...)
		if d.err != nil {
			return nil, fmt.Errorf("read part %s: %w", snap.Ref.ID, d.err)
		}
	}
	return data, nil
}

func (s *Letters) deleteChunks(ctx context.Context, refs []*firestore.DocumentRef) error {
	var errs []error
	for _, ref := range refs {
		if _, err := ref.Delete(ctx); err != nil {
			errs = append(errs, fmt.Errorf("delete part %s: %w", ref.ID, err))
		}
	}
	return errors.Join(errs...)
}

// deleteAbandoned removes chunks that a Put wrote long ago and no head names.
func (s *Letters) deleteAbandoned(ctx context.Context, doc *firestore.DocumentRef) error {
	it := doc.Collection("chunks").Select().Documents(ctx)
	defer it.Stop()
	var old []*firestore.DocumentRef
	for {
		snap, err := it.Next()
		if errors.Is(err, iterator.Done) {
			return s.deleteChunks(ctx, old)
		}
		if err != nil {
			return fmt.Errorf("look for abandoned parts: %w", err)
		}
		if snap.ReadTime.Sub(snap.UpdateTime) > abandonedAfter {
			old = append(old, snap.Ref)
		}
	}
}
