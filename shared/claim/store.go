package claim

import (
	"context"
	"errors"
)

// Definite answers of a store. Any other error leaves open whether a write
// happened; the caller then reads back and looks for its WriteID.
var (
	// ErrExists answers a Create: a record with this ID is there. Its creator may
	// be the caller itself, where a client library retried behind its back.
	ErrExists = errors.New("claim exists")
	// ErrNotFound answers a Get or Swap: there is no record with this ID.
	ErrNotFound = errors.New("claim not found")
	// ErrConflict answers a Swap: the record's version is another one.
	ErrConflict = errors.New("claim changed meanwhile")
	// ErrFull answers a Create on a bounded store in which nothing may be forgotten.
	ErrFull = errors.New("claim store is full")
	// ErrUnreadable comes with a record whose stored form can't be read. It is
	// held and reported, never treated as absent.
	ErrUnreadable = errors.New("claim record is unreadable")
	// ErrPage answers a List for a page that no List gave out.
	ErrPage = errors.New("no such page of claims")
	// ErrUnusable says that a store can't be used as it is configured: it does not
	// know the user, the database or the address is wrong. To wait does not help.
	ErrUnusable = errors.New("claim store can't be used as it is configured")
)

// Store keeps claims. All methods block until the store answers or ctx ends and
// are safe for concurrent use. Each is linearizable per ID: a Swap succeeds for
// one caller per version. A Store never retries a write whose fate it does not
// know, unless a repeat shows as ErrExists or ErrConflict; it never deletes a
// record that is not DONE or DEAD.
type Store interface {
	// Create stores r if its ID is absent, else answers ErrExists. The answer
	// holds r with its version and times; Now equals Written. With ErrExists it may
	// hold what stands there, as a Get in the same step would; its Version is empty
	// where it doesn't.
	Create(ctx context.Context, r Record) (Stored, error)

	// Get reads a record, expired ones included, with consistency as of this call.
	Get(ctx context.Context, id string) (Stored, error)

	// Swap replaces the record if its version is still the one given, else
	// answers ErrConflict or ErrNotFound. The new version differs from every
	// earlier one. Now equals Written in the answer.
	Swap(ctx context.Context, id, version string, r Record) (Stored, error)
}

// Lister shows records to people and to Sweep. It is not on the path of an event.
type Lister interface {
	// List pages through the records in a state, oldest write first where the
	// backend can, else in any stable order. page is empty for the first page, then the next
	// that was answered; an empty next ends it. limit is 1 to 1000. Records that
	// can't be read come with State "" and their ID: state "" lists just those,
	// where the backend can tell. What is surely no page is answered with ErrPage.
	List(ctx context.Context, state State, page string, limit int) (records []Stored, next string, err error)
}
