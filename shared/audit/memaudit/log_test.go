package memaudit_test

import (
	"fmt"
	"testing"
	"time"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/audit/audittest"
	"onceway.internal/shared/audit/memaudit"
)

func open(t *testing.T) audit.Log {
	log, err := memaudit.New(100)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func TestConformance(t *testing.T) {
	t.Parallel()
	audittest.Run(t, open)
}

func TestFullLogForgetsTheOldest(t *testing.T) {
	t.Parallel()
	log, err := memaudit.New(3)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for i := range 5 {
		e := audit.Entry{ID: fmt.Sprint(i), At: start.Add(time.Duration(i) * time.Second), Actor: "a", Action: "b", Via: audit.Ctl, Outcome: audit.Done}
		if err := log.Record(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	got, _, err := log.List(t.Context(), "", 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[0].ID != "4" || got[2].ID != "2" {
		t.Errorf("kept %v, want 4, 3, 2", got)
	}
}

func TestNewRefusesNoCapacity(t *testing.T) {
	t.Parallel()
	if _, err := memaudit.New(0); err == nil {
		t.Error("a log without room was made")
	}
}
