//go:build emulators

package firestoreclaim_test

import (
	"errors"
	"path"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/letter"

	"onceway.internal/shared/claim/firestoreclaim"
)

func record(key string, state claim.State) claim.Record {
	return claim.Record{ID: claim.ID("firestore", key), Key: key, State: state, WriteID: claim.NewToken(), Lease: time.Minute}
}

func TestEveryOperationIsOneRPC(t *testing.T) {
	t.Parallel()
	tap := &wiretap{}
	s := open(t, connect(t, tap), "one-rpc")
	r := record("a", claim.Claimed)
	var v claim.Stored
	step := func(name, rpc string, do func() error, want error) {
		t.Helper()
		if err := do(); !errors.Is(err, want) {
			t.Fatalf("%s answered %v, want %v", name, err, want)
		}
		got := map[string]int{}
		for method, n := range tap.take() {
			got[path.Base(method)] += n
		}
		if diff := cmp.Diff(map[string]int{rpc: 1}, got); diff != "" {
			t.Errorf("RPCs of %s (-want +got):\n%s", name, diff)
		}
	}
	step("Create", "Commit", func() (err error) { v, err = s.Create(t.Context(), r); return err }, nil)
	step("Create of a duplicate", "Commit", func() error { _, err := s.Create(t.Context(), r); return err }, claim.ErrExists)
	step("Get", "BatchGetDocuments", func() error { _, err := s.Get(t.Context(), r.ID); return err }, nil)
	step("Get of nothing", "BatchGetDocuments", func() error { _, err := s.Get(t.Context(), "absent"); return err }, claim.ErrNotFound)
	r.WriteID, r.State = claim.NewToken(), claim.Done
	step("Swap", "Commit", func() error { _, err := s.Swap(t.Context(), r.ID, v.Version, r); return err }, nil)
	step("late Swap", "Commit", func() error { _, err := s.Swap(t.Context(), r.ID, v.Version, r); return err }, claim.ErrConflict)
	step("List", "RunQuery", func() error { _, _, err := s.List(t.Context(), claim.Done, "", 10); return err }, nil)
}

// TestCreatorThatLostAReplyMeetsItself: the client library repeats the commit,
// and the repeat finds the document that the first one made.
func TestCreatorThatLostAReplyMeetsItself(t *testing.T) {
	t.Parallel()
	var lost atomic.Bool
	tap := &wiretap{after: func(_ string, err error) error {
		if err == nil && lost.CompareAndSwap(false, true) {
			return status.Error(codes.Unavailable, "reply lost")
		}
		return err
	}}
	s, r := open(t, connect(t, tap), "lost"), record("a", claim.Claimed)
	if _, err := s.Create(t.Context(), r); !errors.Is(err, claim.ErrExists) {
		t.Fatalf("Create answered %v, want ErrExists", err)
	}
	got, err := s.Get(t.Context(), r.ID)
	if err != nil || got.WriteID != r.WriteID {
		t.Errorf("read back write ID %q and %v, want our own %q", got.WriteID, err, r.WriteID)
	}
}

func TestDeadlineAfterTheWriteIsNoDefiniteAnswer(t *testing.T) {
	t.Parallel()
	tap := &wiretap{after: func(string, error) error { return status.Error(codes.DeadlineExceeded, "reply lost") }}
	s, r := open(t, connect(t, tap), "deadline"), record("a", claim.Claimed)
	_, err := s.Create(t.Context(), r)
	if status.Code(err) != codes.DeadlineExceeded || errors.Is(err, claim.ErrExists) {
		t.Errorf("Create answered %v, want the code as it came", err)
	}
}

func TestSwapThatChangesNothingIsAnError(t *testing.T) {
	t.Parallel()
	s, r := open(t, connect(t, nil), "no-change"), record("a", claim.Claimed)
	v, err := s.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	// Firestore keeps the update time, so the version would let two pass.
	if _, err := s.Swap(t.Context(), r.ID, v.Version, r); err == nil {
		t.Error("Swap took a record without a fresh write ID")
	}
}

// TestOnlyWhatExpiresHasATTL: Firestore would delete a document whose expireAt
// is the zero time.
func TestOnlyWhatExpiresHasATTL(t *testing.T) {
	t.Parallel()
	client := connect(t, nil)
	s, r := open(t, client, "ttl"), record("a", claim.Done)
	hasTTL := func(want bool) {
		t.Helper()
		snap, err := client.Collection("ttl-claims").Doc(r.ID).Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, has := snap.Data()["expireAt"]; has != want {
			t.Errorf("expireAt is there: %t, want %t", has, want)
		}
	}
	v, err := s.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	hasTTL(false)
	r.WriteID, r.ExpireAt = claim.NewToken(), time.Now().Add(time.Hour)
	if v, err = s.Swap(t.Context(), r.ID, v.Version, r); err != nil {
		t.Fatal(err)
	}
	hasTTL(true)
	r.WriteID, r.ExpireAt, r.State = claim.NewToken(), time.Time{}, claim.Retry
	if _, err = s.Swap(t.Context(), r.ID, v.Version, r); err != nil {
		t.Fatal(err)
	}
	hasTTL(false)
}

func TestStatesThatAreNoneAreListed(t *testing.T) {
	t.Parallel()
	client := connect(t, nil)
	s := open(t, client, "odd")
	for id, state := range map[string]any{"a": 42, "b": "LATER", "c": "LATER", "d": ""} {
		if _, err := client.Collection("odd-claims").Doc(id).Set(t.Context(), map[string]any{"state": state}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Create(t.Context(), record("known", claim.Retry)); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for page := ""; ; {
		records, next, err := s.List(t.Context(), "", page, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			ids = append(ids, r.ID)
		}
		if page = next; page == "" {
			break
		}
	}
	if diff := cmp.Diff([]string{"a", "d", "b", "c"}, ids); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
}

func TestPutLeavesNoChunksBehind(t *testing.T) {
	t.Parallel()
	client := connect(t, nil)
	s, err := firestoreclaim.NewLetters(client, "chunks-")
	if err != nil {
		t.Fatal(err)
	}
	chunks := func(want int) {
		t.Helper()
		docs, err := client.Collection("chunks-letters").Doc("a").Collection("chunks").Documents(t.Context()).GetAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(docs) != want {
			t.Errorf("%d chunks are stored, want %d", len(docs), want)
		}
	}
	for _, n := range []int{2_000_000, 4_000_000, 10, 1_000_000} {
		if err := s.Put(t.Context(), letter.Letter{ID: "a", Data: make([]byte, n)}); err != nil {
			t.Fatal(err)
		}
		if n == 10 {
			chunks(0)
		} else {
			chunks((n + 900<<10 - 1) / (900 << 10))
		}
	}
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	chunks(0)
}

func TestNewRefusesNoClient(t *testing.T) {
	t.Parallel()
	if _, err := firestoreclaim.New(nil, ""); err == nil {
		t.Error("New took no client")
	}
	if _, err := firestoreclaim.NewLetters(nil, ""); err == nil {
		t.Error("NewLetters took no client")
	}
	client := &firestore.Client{}
	if _, err := firestoreclaim.New(client, "a/"); err == nil {
		t.Error("New took a prefix that makes no collection name")
	}
}
