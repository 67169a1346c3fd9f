package memclaim_test

import (
	"slices"
	"testing"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/memclaim"
)

func create(t *testing.T, s *memclaim.Store, id string, state claim.State) claim.Stored {
	t.Helper()
	got, err := s.Create(t.Context(), claim.Record{ID: id, State: state})
	if err != nil {
		t.Fatalf("create %s: %v", id, err)
	}
	return got
}

func present(t *testing.T, s *memclaim.Store) []string {
	t.Helper()
	var ids []string
	for _, state := range claim.States {
		records, _, err := s.List(t.Context(), state, "", 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	return ids
}
