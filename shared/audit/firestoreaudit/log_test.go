package firestoreaudit_test

import (
	"testing"

	"onceway.internal/shared/audit/firestoreaudit"
)

func TestNewRefusesNoClient(t *testing.T) {
	t.Parallel()
	if _, err := firestoreaudit.New(nil, firestoreaudit.Collection); err == nil {
		t.Error("a log without a client was made")
	}
}
