package memaudit

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"onceway.internal/shared/audit"
)

// Log is an audit.Log in memory.
type Log struct {
	capacity int

	mu      sync.Mutex
	entries []stored // newest first
	known   map[string]bool
}

type stored struct {
	key   string
	entry audit.Entry
}

var _ audit.Log = (*Log)(nil)

// New returns an empty log that keeps at most capacity entries.
func New(capacity int) (*Log, error) {
	if capacity < 1 {
		return nil, errors.New("memory audit log: capacity must be positive")
	}
	return &Log{capacity: capacity, known: map[string]bool{}}, nil
}

// Record implements audit.Log. A repeat that comes after its entry was forgotten is new.
func (l *Log) Record(ctx context.Context, e audit.Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e, err := e.Normal()
	if err != nil {
		return err
	}
	s := stored{key: audit.Key(e.ID), entry: e}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known[s.key] {
		return nil
	}
	at, _ := slices.BinarySearchFunc(l.entries, s, newestFirst)
	l.entries = slices.Insert(l.entries, at, s)
	l.known[s.key] = true
	if len(l.entries) > l.capacity {
		last := len(l.entries) - 1
		delete(l.known, l.entries[last].key)
		l.entries = slices.Delete(l.entries, last, last+1)
	}
	return nil
}

// List implements audit.Log.
func (l *Log) List(ctx context.Context, page string, limit int) ([]audit.Entry, string, error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	cursor, behind, err := audit.ParsePage(page)
	if err != nil {
		return nil, "", err
	}
	limit = audit.Limit(limit)
	l.mu.Lock()
	defer l.mu.Unlock()
	rest := l.entries
	if behind {
		mark := stored{key: cursor.Key, entry: audit.Entry{At: cursor.At}}
		at, found := slices.BinarySearchFunc(rest, mark, newestFirst)
		if found {
			at++
		}
		rest = rest[at:]
	}
	var next string
	if len(rest) > limit {
		rest = rest[:limit]
		last := rest[limit-1]
		next = audit.Cursor{At: last.entry.At, Key: last.key}.Page()
	}
	entries := make([]audit.Entry, len(rest))
	for i, s := range rest {
		entries[i] = s.entry
	}
	return entries, next, nil
}

func newestFirst(a, b stored) int {
	if c := b.entry.At.Compare(a.entry.At); c != 0 {
		return c
	}
	return strings.Compare(b.key, a.key)
}
