package lettertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
)

// Sizes around what a backend may cut at, and the largest message there is.
var sizes = []int{0, 1, 900<<10 - 1, 900 << 10, 900<<10 + 1, 2*900<<10 + 17, 10_000_000}

// pattern is n bytes that differ from place to place, and by seed.
func pattern(n int, seed byte) []byte {
	b := make([]byte, n)
	x := uint32(seed) + 1
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

func testWhole(t *testing.T, open Open, space string) {
	s := open(t, space)
	for _, n := range sizes {
		l := sample(fmt.Sprint(n, " bytes"), pattern(n, 1))
		mustPut(t, s, l)
		holds(t, s, l)
	}
	bare := letter.Letter{ID: claim.ID("lettertest", "bare")}
	mustPut(t, s, bare)
	holds(t, s, bare)

	odd := sample("odd\x00\xff", []byte("data"))
	odd.Error = "é"[:1]
	mustPut(t, s, odd)
	holds(t, s, odd)
}

func testAbsent(t *testing.T, open Open, space string) {
	if _, err := open(t, space).Get(t.Context(), claim.ID("lettertest", "absent")); !errors.Is(err, letter.ErrNotFound) {
		t.Errorf("Get answered %v, want ErrNotFound", err)
	}
}

func testReplace(t *testing.T, open Open, space string) {
	s := open(t, space)
	for i, n := range []int{10, 3_000_000, 2_000_000, 0, 20} { // from one form to the other and back
		l := sample("a", pattern(n, byte(i)))
		l.Attempts = i
		mustPut(t, s, l)
		mustPut(t, s, l) // redelivered
		holds(t, s, l)
	}
	if letters := listAll(t, s, 10); len(letters) != 1 {
		t.Errorf("%d letters after putting one again and again", len(letters))
	}
}

// testConcurrentPuts has writers put bodies of one byte each while readers read:
// every body read must be of one writer.
func testConcurrentPuts(t *testing.T, open Open, space string) {
	const writers, each, size = 3, 2, 1_000_000
	first := sample("a", bytes.Repeat([]byte{'0'}, size))
	mustPut(t, open(t, space), first)
	done := make(chan struct{})
	var writing, reading sync.WaitGroup
	for w := range writers {
		s := open(t, space)
		writing.Go(func() {
			for i := range each {
				if err := s.Put(t.Context(), sample("a", bytes.Repeat([]byte{byte('a' + w)}, size+i))); err != nil {
					t.Errorf("Put: %v", err)
				}
			}
		})
	}
	reader := open(t, space)
	reading.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				unmixed(t, reader, first.ID)
			}
		}
	})
	writing.Wait()
	close(done)
	reading.Wait()
	unmixed(t, reader, first.ID)
}

func unmixed(t *testing.T, s letter.Store, id string) {
	t.Helper()
	got, err := s.Get(t.Context(), id)
	if err != nil {
		t.Errorf("Get: %v", err)
		return
	}
	if claim.PayloadHash(got.Data) != got.PayloadHash || bytes.Count(got.Data, got.Data[:1]) != len(got.Data) {
		t.Error("a body was read that nobody put")
	}
}

func testDelete(t *testing.T, open Open, space string) {
	s := open(t, space)
	l, other := sample("a", pattern(2_000_000, 3)), sample("b", []byte("kept"))
	mustPut(t, s, l)
	mustPut(t, s, other)
	for range 2 {
		if err := s.Delete(t.Context(), l.ID); err != nil {
			t.Fatalf("Delete: %v", err)
		}
		if _, err := s.Get(t.Context(), l.ID); !errors.Is(err, letter.ErrNotFound) {
			t.Errorf("Get after Delete answered %v, want ErrNotFound", err)
		}
	}
	if letters := listAll(t, s, 10); len(letters) != 1 {
		t.Errorf("%d letters are listed after Delete, want the other one", len(letters))
	}
	holds(t, s, other)
	mustPut(t, s, l)
	holds(t, s, l)
}

func testCancelled(t *testing.T, open Open, space string) {
	s, l := open(t, space), sample("a", []byte("data"))
	mustPut(t, s, l)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	calls := map[string]func() error{
		"Put":    func() error { return s.Put(ctx, sample("b", nil)) },
		"Get":    func() error { _, err := s.Get(ctx, l.ID); return err },
		"List":   func() error { _, _, err := s.List(ctx, "", 10); return err },
		"Delete": func() error { return s.Delete(ctx, l.ID) },
	}
	for name, call := range calls {
		answer := make(chan error, 1)
		go func() { answer <- call() }()
		select {
		case err := <-answer:
			if err == nil || errors.Is(err, letter.ErrNotFound) {
				t.Errorf("%s answered %v on a cancelled context", name, err)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s did not return on a cancelled context", name)
		}
	}
}
