package groups

import (
	"context"
	"errors"
)

// Errors of stores and of Book.
var (
	// ErrConflict answers a Swap on a version that is no longer the stored one.
	ErrConflict = errors.New("live state changed meanwhile")
	// ErrBusy answers a Swap that the store refused under contention, though it may
	// have happened; it is worth another try.
	ErrBusy = errors.New("live state is contended")
	// ErrUnknownGroup says that groups.yaml has no such group.
	ErrUnknownGroup = errors.New("unknown group")
	// ErrReserved says that the group is kept for other customers.
	ErrReserved = errors.New("group is reserved")
	// ErrNotReserved says that there is nothing to release.
	ErrNotReserved = errors.New("group is not reserved")
	// ErrInvalid says that a request can't mean anything: no customers, an end in the past.
	ErrInvalid = errors.New("invalid request")
)

// Store keeps the live state. Methods block until the store answers or ctx ends,
// and are safe for concurrent use.
type Store interface {
	// Load answers with the live state as of this call: an empty one with an
	// empty version when nothing was ever stored.
	Load(ctx context.Context) (Live, error)
	// Swap replaces the state if its version is still l.Version, else answers
	// ErrConflict. Of two swaps on one version one succeeds. After ErrBusy or any other
	// error the change may have happened: Book loads again and looks.
	Swap(ctx context.Context, l Live) (Live, error)
}

// Auditor is told of every change before it is made; when it can't keep the
// entry the change does not happen. by is who asked, action one of "reserve",
// "release", "drain", "undrain", subject the group, detail a sentence for people.
type Auditor interface {
	Audit(ctx context.Context, by, action, subject, detail string) error
}
