package firestoreaudit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/clock"
)

// Collection is where entries stand unless the caller says otherwise.
const Collection = "audit"

// Log is an audit.Log in Firestore.
type Log struct {
	entries *firestore.CollectionRef
}

var _ audit.Log = (*Log)(nil)

// New returns a log in the named collection of client's database.
func New(client *firestore.Client, collection string) (*Log, error) {
	if client == nil {
		return nil, errors.New("firestore audit log: no client")
	}
	entries := client.Collection(collection)
	if entries == nil {
		return nil, fmt.Errorf("firestore audit log: %q is not the name of a collection", collection)
	}
	return &Log{entries: entries}, nil
}

type document struct {
	ID      string    `firestore:"id"`
	At      time.Time `firestore:"at"`
	Actor   string    `firestore:"actor"`
	Action  string    `firestore:"action"`
	Target  string    `firestore:"target"`
	Reason  string    `firestore:"reason"`
	Before  string    `firestore:"before"`
	After   string    `firestore:"after"`
	Via     string    `firestore:"via"`
	Outcome string    `firestore:"outcome"`
}

// Record implements audit.Log: an entry that is there already was ours or the
// same act's, either way it is kept.
func (l *Log) Record(ctx context.Context, e audit.Entry) error {
	e, err := e.Normal()
	if err != nil {
		return err
	}
	err = l.create(ctx, audit.Key(e.ID), document{
		ID: e.ID, At: e.At, Actor: e.Actor, Action: e.Action, Target: e.Target, Reason: e.Reason,
		Before: e.Before, After: e.After, Via: string(e.Via), Outcome: string(e.Outcome),
	})
	if err != nil && status.Code(err) != codes.AlreadyExists {
		return fmt.Errorf("record audit entry: %w", err)
	}
	return nil
}

// createTries bounds the tries of one entry while repeats of it stand in each other's way.
const createTries = 6

// create tries again what the store refuses because others write the same document.
func (l *Log) create(ctx context.Context, id string, d document) (err error) {
	pause := 20 * time.Millisecond
	for range createTries {
		if _, err = l.entries.Doc(id).Create(ctx, d); status.Code(err) != codes.Aborted {
			return err
		}
		if (clock.System{}).Sleep(ctx, pause+rand.N(pause)) != nil {
			return err
		}
		pause *= 2
	}
	return err
}

// List implements audit.Log.
func (l *Log) List(ctx context.Context, page string, limit int) ([]audit.Entry, string, error) {
	cursor, behind, err := audit.ParsePage(page)
	if err != nil {
		return nil, "", err
	}
	limit = audit.Limit(limit)
	query := l.entries.OrderBy("at", firestore.Desc).OrderBy(firestore.DocumentID, firestore.Desc)
	if behind {
		query = query.StartAfter(cursor.At, cursor.Key)
	}
	// One more than asked tells whether there is a next page.
	found, err := query.Limit(limit + 1).Documents(ctx).GetAll()
	if err != nil {
		return nil, "", fmt.Errorf("list audit entries: %w", err)
	}
	more := len(found) > limit
	if more {
		found = found[:limit]
	}
	entries := make([]audit.Entry, 0, len(found))
	for _, snapshot := range found {
		e, err := read(snapshot)
		if err != nil {
			return nil, "", err
		}
		entries = append(entries, e)
	}
	if !more {
		return entries, "", nil
	}
	return entries, audit.Cursor{At: entries[limit-1].At, Key: found[limit-1].Ref.ID}.Page(), nil
}

func read(snapshot *firestore.DocumentSnapshot) (audit.Entry, error) {
	var d document
	if err := snapshot.DataTo(&d); err != nil {
		return audit.Entry{}, fmt.Errorf("read audit entry %s: %w", snapshot.Ref.ID, err)
	}
	return audit.Entry{
		ID: d.ID, At: d.At.UTC(), Actor: d.Actor, Action: d.Action, Target: d.Target, Reason: d.Reason,
		Before: d.Before, After: d.After, Via: audit.Via(d.Via), Outcome: audit.Outcome(d.Outcome),
	}, nil
}
