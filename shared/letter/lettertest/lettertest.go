// Package lettertest says what a letter store must do, as tests that every
// backend runs.
package lettertest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"
)

// Open returns a client of the letter store named space, which is empty at
// first. Clients of one space share its letters, spaces share none. A name is
// lower-case letters, digits and "-", and unique in this run only.
type Open func(t *testing.T, space string) letter.Store

// Run runs every test of the suite, in parallel, each in a space of its own.
func Run(t *testing.T, open Open) {
	t.Helper()
	for name, test := range map[string]func(t *testing.T, open Open, space string){
		"letters-come-back-whole":          testWhole,
		"absent-is-not-found":              testAbsent,
		"put-again-replaces":               testReplace,
		"puts-of-one-letter-never-mix":     testConcurrentPuts,
		"delete-removes-and-may-repeat":    testDelete,
		"list-pages-without-loss":          testList,
		"list-refuses-what-it-cannot-page": testListArguments,
		"a-cancelled-call-fails":           testCancelled,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open, "letters-"+name)
		})
	}
}

// sample is a letter of its own for key, with every field set but StoredAt.
func sample(key string, data []byte) letter.Letter {
	return letter.Letter{
		ID: claim.ID("lettertest", key), Key: key, Handler: "lettertest", Reason: letter.Permanent,
		Attempts: 5, Epoch: 7, Error: "post: connection refused",
		Source: "projects/demo-project/subscriptions/relay", Topic: "projects/demo-project/topics/relay",
		MessageID:   "1234567890",
		Attributes:  map[string]string{"customer": "acme", letter.AttrKey: key, "": "", "__name__": "a.b`c"},
		OrderingKey: "acme", Data: data, PayloadHash: claim.PayloadHash(data),
		PublishedAt: time.Date(2026, 5, 4, 3, 2, 1, 987654000, time.UTC),
	}
}

func mustPut(t *testing.T, s letter.Store, l letter.Letter) {
	t.Helper()
	if err := s.Put(t.Context(), l); err != nil {
		t.Fatalf("Put: %v", err)
	}
}

// holds checks that the store holds l, and returns it as stored.
func holds(t *testing.T, s letter.Store, l letter.Letter) letter.Letter {
	t.Helper()
	got, err := s.Get(t.Context(), l.ID)
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	same(t, l, got)
	return got
}

// same compares all that must come back. Empty data may come back as nil: a
// message has no other way to say that it has none.
func same(t *testing.T, want, got letter.Letter) {
	t.Helper()
	if got.StoredAt.IsZero() {
		t.Error("the store set no StoredAt")
	}
	if w, g := claim.PayloadHash(want.Data), claim.PayloadHash(got.Data); w != g {
		t.Errorf("%d bytes of data came back as %d other bytes", len(want.Data), len(got.Data))
	}
	want.Data, got.Data, want.StoredAt = nil, nil, got.StoredAt
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("letter differs (-want +got):\n%s", diff)
	}
}
