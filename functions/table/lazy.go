package table

import (
	"context"
	"sync"
)

// lazy makes a value at its first use, once. A failure is not kept: the next caller
// tries again. Safe for concurrent use.
type lazy[T any] struct {
	mu    sync.Mutex
	made  bool
	value T
}

func (l *lazy[T]) get(ctx context.Context, build func(context.Context) (T, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.made {
		return l.value, nil
	}
	v, err := build(ctx)
	if err != nil {
		return v, err
	}
	l.value, l.made = v, true
	return v, nil
}
