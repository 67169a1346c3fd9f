package firestoreroute

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"onceway.internal/shared/groups/firestoregroups"
	"onceway.internal/shared/route"
)

// mergeTries bounds how often a merge starts again because others were faster.
const mergeTries = 10

var errKept = errors.New("the stored value stays")

// value is a document that holds one JSON value.
type value struct {
	Retires int64  `firestore:"retires"`
	Value   []byte `firestore:"value"`
	WriteID string `firestore:"writeID"` // makes every write change the document
}

func decode(d *firestore.DocumentSnapshot, to any) error {
	var v value
	if err := d.DataTo(&v); err != nil {
		return err
	}
	return json.Unmarshal(v.Value, to)
}

func version(t time.Time) string { return t.Format(time.RFC3339Nano) }

// PutFigures implements route.Board.
func (s *Store) PutFigures(ctx context.Context, f route.Figures) (merged route.Figures, err error) {
	err = merge(ctx, s.routing.Doc(figuresID), func(d *firestore.DocumentSnapshot) (any, error) {
		merged = route.Figures{}
		if d.Exists() {
			if err := decode(d, &merged); err != nil {
				return nil, err
			}
		}
		merged = merged.Merge(f)
		return merged, nil
	})
	if err != nil {
		return nil, fmt.Errorf("put figures: %w", err)
	}
	return merged, nil
}

// PutSettings implements route.Board.
func (s *Store) PutSettings(ctx context.Context, n route.Settings) error {
	err := merge(ctx, s.routing.Doc(settingsID), func(d *firestore.DocumentSnapshot) (any, error) {
		current := ""
		if d.Exists() {
			current = version(d.UpdateTime)
		}
		if current != n.Version {
			return nil, route.ErrConflict
		}
		return n, nil
	})
	if err != nil {
		return fmt.Errorf("put settings: %w", err)
	}
	return nil
}

// PutRecommendations implements route.Board.
func (s *Store) PutRecommendations(ctx context.Context, rs []route.Recommendation) error {
	var errs []error
	for _, r := range rs {
		err := merge(ctx, s.advice.Doc(r.Queue), func(d *firestore.DocumentSnapshot) (any, error) {
			var old route.Recommendation
			if d.Exists() {
				if err := decode(d, &old); err != nil {
					return nil, err
				}
			}
			if old.At.After(r.At) {
				return nil, errKept
			}
			return r, nil
		})
		if err != nil && !errors.Is(err, errKept) {
			errs = append(errs, fmt.Errorf("put recommendation for %s: %w", r.Queue, err))
		}
	}
	return errors.Join(errs...)
}

// merge replaces a value by what change makes of it, again from a fresh read when
// others were faster.
func merge(ctx context.Context, doc *firestore.DocumentRef, change func(*firestore.DocumentSnapshot) (any, error)) error {
	for range mergeTries {
		old, err := doc.Get(ctx)
		if err != nil && (status.Code(err) != codes.NotFound || old == nil) {
			return err
		}
		next, err := change(old)
		if err != nil {
			return err
		}
		data, err := json.Marshal(next)
		if err != nil {
			return err
		}
		err = swap(ctx, old, value{Retires: firestoregroups.Forever, Value: data, WriteID: rand.Text()})
		switch status.Code(err) {
		case codes.AlreadyExists, codes.FailedPrecondition, codes.NotFound, codes.Aborted:
			continue
		}
		return err
	}
	return errors.New("others kept changing it")
}

func swap(ctx context.Context, old *firestore.DocumentSnapshot, v value) (err error) {
	if !old.Exists() {
		_, err = old.Ref.Create(ctx, v)
		return err
	}
	_, err = old.Ref.Update(ctx, []firestore.Update{
		{Path: "value", Value: v.Value}, {Path: "writeID", Value: v.WriteID},
	}, firestore.LastUpdateTime(old.UpdateTime))
	return err
}

// Recommendation implements route.Board.
func (s *Store) Recommendation(ctx context.Context, queue string) (r route.Recommendation, now time.Time, err error) {
	snap, err := s.advice.Doc(queue).Get(ctx)
	if status.Code(err) == codes.NotFound {
		return r, now, route.ErrNotFound
	}
	if err == nil {
		err = decode(snap, &r)
	}
	if err != nil {
		return r, now, fmt.Errorf("read recommendation for %s: %w", queue, err)
	}
	return r, snap.ReadTime, nil
}

type past struct {
	At       time.Time `firestore:"at"`
	Value    []byte    `firestore:"value"`
	ExpireAt time.Time `firestore:"expireAt"`
}

// PutHistory implements route.Board.
func (s *Store) PutHistory(ctx context.Context, p route.Past) error {
	data, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode history: %w", err)
	}
	id := strconv.FormatInt(p.At.Truncate(time.Minute).Unix(), 10)
	if _, err := s.history.Doc(id).Set(ctx, past{At: p.At, Value: data, ExpireAt: p.At.Add(route.HistoryFor)}); err != nil {
		return fmt.Errorf("put history: %w", err)
	}
	return nil
}

// History implements route.Board.
func (s *Store) History(ctx context.Context, since time.Time) ([]route.Past, error) {
	snaps, err := s.history.Where("at", ">=", since).OrderBy("at", firestore.Asc).LimitToLast(route.MaxHistory).Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	out := make([]route.Past, len(snaps))
	for i, snap := range snaps {
		var p past
		err := snap.DataTo(&p)
		if err == nil {
			err = json.Unmarshal(p.Value, &out[i])
		}
		if err != nil {
			return nil, fmt.Errorf("decode history %s: %w", snap.Ref.ID, err)
		}
	}
	return out, nil
}
