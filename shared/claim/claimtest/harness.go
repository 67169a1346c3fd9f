package claimtest

import (
	"testing"

	"onceway.internal/shared/claim"
)

// Backend is what the suite tests.
type Backend interface {
	claim.Store
	claim.Lister
}

// Harness opens the stores that the suite runs against.
type Harness struct {
	// Open returns a client of the store named space, which is empty at first.
	// Two clients of one space are two replicas: they share nothing but the
	// stored records. Spaces share no record. A name is lower-case letters,
	// digits and "-", and unique in this run only.
	Open func(t *testing.T, space string) Backend

	// Spoil makes the stored form of a record unreadable, as damage or a foreign
	// writer would, and leaves in place what it is found by. Nil for a backend
	// that has no stored form.
	Spoil func(t *testing.T, space, id string)

	// OpenBounded returns an empty store that holds capacity records. Nil for a
	// backend without a bound.
	OpenBounded func(t *testing.T, capacity int) Backend
}

// Run runs every test of the suite, in parallel, each in a space of its own.
func Run(t *testing.T, h Harness) {
	t.Helper()
	tests := map[string]func(t *testing.T, h Harness, space string){
		"create-answers-what-get-reads":         testCreate,
		"create-leaves-a-present-record-alone":  testCreateExists,
		"absent-is-not-found":                   testAbsent,
		"swap-replaces-the-whole-record":        testSwap,
		"swap-refuses-every-other-version":      testSwapConflict,
		"every-write-changes-the-version":       testVersions,
		"every-field-comes-back":                testFields,
		"fifty-creates-have-one-winner":         testCreateRace,
		"fifty-swaps-have-one-winner":           testSwapRace,
		"replicas-lose-no-update":               testReplicas,
		"a-replaced-owner-changes-nothing":      testZombie,
		"store-time-only-goes-forward":          testTime,
		"a-lease-ends-by-store-time":            testLease,
		"past-its-ttl-but-present-still-counts": testExpired,
		"lost-replies-are-told-by-write-id":     testLostReplies,
		"list-pages-without-loss":               testList,
		"list-refuses-what-it-cannot-page":      testListArguments,
		"a-cancelled-call-returns":              testCancelled,
	}
	if h.Spoil != nil {
		tests["an-unreadable-record-is-held"] = testUnreadable
	}
	if h.OpenBounded != nil {
		tests["a-full-store-forgets-only-done"] = testFull
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, h, name)
		})
	}
}
