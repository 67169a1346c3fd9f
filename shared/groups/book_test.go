package groups_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/groups/memgroups"
)

// journal remembers what was audited, or refuses.
type journal struct {
	mu     sync.Mutex
	lines  []string
	refuse error
}

func (j *journal) Audit(_ context.Context, by, action, subject, detail string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.refuse != nil {
		return j.refuse
	}
	j.lines = append(j.lines, by+" "+action+" "+subject+" "+detail)
	return nil
}

// shaky loses the answer of the next swap, before or after it happens.
type shaky struct {
	groups.Store
	lose func(swap func() (groups.Live, error)) (groups.Live, error)
}

func (s *shaky) Swap(ctx context.Context, l groups.Live) (groups.Live, error) {
	if lose := s.lose; lose != nil {
		s.lose = nil
		return lose(func() (groups.Live, error) { return s.Store.Swap(ctx, l) })
	}
	return s.Store.Swap(ctx, l)
}

func book(t *testing.T, s groups.Store) (*groups.Book, *journal) {
	t.Helper()
	j := &journal{}
	b, err := groups.NewBook(four(), s, j)
	if err != nil {
		t.Fatal(err)
	}
	return b, j
}

func clock() time.Time { return time.Unix(1000, 0).UTC() }

func TestBookChangesAndAudits(t *testing.T) {
	t.Parallel()
	b, j := book(t, memgroups.New(clock))
	ctx := t.Context()
	until := clock().Add(time.Hour)
	reserve := groups.Reservation{Group: "dg01", Customers: []string{" globex", "acme", "acme"}, Until: until, Note: "launch", By: "ann"}
	live, err := b.Reserve(ctx, reserve)
	if err != nil {
		t.Fatal(err)
	}
	want := groups.Reservation{Group: "dg01", Customers: []string{"acme", "globex"}, Since: clock(), Until: until, Note: "launch", By: "ann"}
	if d := cmp.Diff(want, live.Reservations["dg01"]); d != "" {
		t.Errorf("reservation (-want +got):\n%s", d)
	}
	if _, err := b.Reserve(ctx, groups.Reservation{Group: "dg01", Customers: []string{"other"}, By: "bob"}); !errors.Is(err, groups.ErrReserved) {
		t.Errorf("reserving for others: %v, want ErrReserved", err)
	}
	reserve.Until = time.Time{} // the same customers: prolonged
	if live, err = b.Reserve(ctx, reserve); err != nil || !live.Reservations["dg01"].Until.IsZero() {
		t.Errorf("prolonging: %v, %v", live.Reservations["dg01"], err)
	}
	if _, err := b.Drain(ctx, "dg02", "ann", "upgrade"); err != nil {
		t.Error(err)
	}
	if live, err = b.Undrain(ctx, "dg02", "ann", ""); err != nil || len(live.Draining) != 0 {
		t.Errorf("undrain: %v, %v", live.Draining, err)
	}
	if live, err = b.Release(ctx, "dg01", "ann", ""); err != nil || len(live.Reservations) != 0 {
		t.Errorf("release: %v, %v", live.Reservations, err)
	}
	wantLines := []string{
		"ann reserve dg01 for acme, globex until 1970-01-01T01:16:40Z: launch", "ann reserve dg01 for acme, globex: launch",
		"ann drain dg02 upgrade", "ann undrain dg02 ", "ann release dg01 ",
	}
	if d := cmp.Diff(wantLines, j.lines); d != "" {
		t.Errorf("audit (-want +got):\n%s", d)
	}
}

func TestBookRefuses(t *testing.T) {
	t.Parallel()
	b, j := book(t, memgroups.New(clock))
	ctx := t.Context()
	tests := map[string]struct {
		do   func() error
		want error
	}{
		"an unknown group":   {func() error { _, err := b.Drain(ctx, "dg99", "ann", ""); return err }, groups.ErrUnknownGroup},
		"nothing to release": {func() error { _, err := b.Release(ctx, "dg01", "ann", ""); return err }, groups.ErrNotReserved},
		"no customers": {func() error {
			_, err := b.Reserve(ctx, groups.Reservation{Group: "dg01", Customers: []string{" "}, By: "ann"})
			return err
		}, groups.ErrInvalid},
		"an end in the past": {func() error {
			_, err := b.Reserve(ctx, groups.Reservation{Group: "dg01", Customers: []string{"acme"}, By: "ann", Until: clock()})
			return err
		}, groups.ErrInvalid},
	}
	for name, tt := range tests {
		if err := tt.do(); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	if len(j.lines) != 0 {
		t.Errorf("refused changes were audited: %q", j.lines)
	}
}

func TestNothingChangesUnaudited(t *testing.T) {
	t.Parallel()
	b, j := book(t, memgroups.New(clock))
	j.refuse = errors.New("audit store down")
	if _, err := b.Drain(t.Context(), "dg01", "ann", ""); !errors.Is(err, j.refuse) {
		t.Errorf("drain: %v", err)
	}
	if l, err := b.Load(t.Context()); err != nil || len(l.Draining) != 0 {
		t.Errorf("the group drains unaudited: %v, %v", l.Draining, err)
	}
}

func TestConcurrentChangesAllHappen(t *testing.T) {
	t.Parallel()
	b, _ := book(t, memgroups.New(clock))
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			if _, err := b.Drain(t.Context(), fmt.Sprintf("dg%02d", i+1), "ann", ""); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if l, err := b.Load(t.Context()); err != nil || len(l.Draining) != 4 {
		t.Errorf("of four groups %d drain, %v", len(l.Draining), err)
	}
}

func TestLostAnswerOfASwap(t *testing.T) {
	t.Parallel()
	lost := errors.New("deadline exceeded")
	tests := map[string]struct {
		lose func(swap func() (groups.Live, error)) (groups.Live, error)
		want error
	}{
		"after it happened: done":        {func(swap func() (groups.Live, error)) (groups.Live, error) { swap(); return groups.Live{}, lost }, nil},
		"refused under contention: done": {func(func() (groups.Live, error)) (groups.Live, error) { return groups.Live{}, groups.ErrBusy }, nil},
		"before it happened: the error":  {func(func() (groups.Live, error)) (groups.Live, error) { return groups.Live{}, lost }, lost},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := book(t, &shaky{Store: memgroups.New(clock), lose: tt.lose})
			if _, err := b.Drain(t.Context(), "dg01", "ann", ""); !errors.Is(err, tt.want) {
				t.Errorf("drain: %v, want %v", err, tt.want)
			}
		})
	}
}

func TestSeedCreatesOnceOnly(t *testing.T) {
	t.Parallel()
	c := four()
	c.Groups[2].Reservation = &groups.Reservation{Customers: []string{"acme"}, Note: "own workers"}
	b, err := groups.NewBook(c, memgroups.New(clock), &journal{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if l, err := b.Seed(ctx, "provision"); err != nil || !l.Reservations["dg03"].For("acme") {
		t.Fatalf("seed: %v, %v", l, err)
	}
	if _, err := b.Release(ctx, "dg03", "ann", ""); err != nil {
		t.Fatal(err)
	}
	if l, err := b.Seed(ctx, "provision"); err != nil || len(l.Reservations) != 0 {
		t.Errorf("a released reservation came back: %v, %v", l.Reservations, err)
	}
}
