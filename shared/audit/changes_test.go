package audit_test

import (
	"testing"
	"time"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/audit/memaudit"
	"onceway.internal/shared/groups"
)

var _ groups.Auditor = audit.Changes{}

func TestChangesRecordARepeatOnceAndOthersEach(t *testing.T) {
	t.Parallel()
	log, err := memaudit.New(10)
	if err != nil {
		t.Fatal(err)
	}
	changes := audit.Changes{Log: log, Via: audit.Ctl, Now: time.Now}
	repeated := audit.WithID(t.Context(), "op-1")
	for _, ctx := range []struct{ repeat bool }{{true}, {true}, {false}, {false}} {
		c := t.Context()
		if ctx.repeat {
			c = repeated
		}
		if err := changes.Audit(c, "ann@acme.example", "drain", "dg01", "disk full"); err != nil {
			t.Fatal(err)
		}
	}
	got, _, err := log.List(t.Context(), "", 10)
	if err != nil || len(got) != 3 {
		t.Errorf("%d entries, %v; want 3", len(got), err)
	}
}

func TestAChangeThatCannotBeRecordedIsRefused(t *testing.T) {
	t.Parallel()
	if err := (audit.Changes{}).Audit(t.Context(), "a", "b", "c", ""); err == nil {
		t.Error("audited into nothing")
	}
}
