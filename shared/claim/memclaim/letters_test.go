package memclaim_test

import (
	"sync"
	"testing"
	"time"

	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/letter"
	"onceway.internal/shared/letter/lettertest"
)

func TestLetterConformance(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	spaces := map[string]*memclaim.Letters{}
	lettertest.Run(t, func(t *testing.T, space string) letter.Store {
		mu.Lock()
		defer mu.Unlock()
		if spaces[space] == nil {
			spaces[space] = openLetters(t, 100)
		}
		return spaces[space]
	})
}

func TestFullLetterStoreRefusesRatherThanForgets(t *testing.T) {
	t.Parallel()
	s := openLetters(t, 1)
	if err := s.Put(t.Context(), letter.Letter{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), letter.Letter{ID: "b"}); err == nil {
		t.Error("a full store took a letter")
	}
	if err := s.Put(t.Context(), letter.Letter{ID: "a", Attempts: 2}); err != nil {
		t.Errorf("a full store refused a letter that it has: %v", err)
	}
}

func openLetters(t *testing.T, capacity int) *memclaim.Letters {
	t.Helper()
	s, err := memclaim.NewLetters(capacity, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
