package chat_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"onceway.internal/functions/chat"
	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/policy"
)

func TestEveryMissingPartIsNamed(t *testing.T) {
	t.Parallel()
	_, err := chat.New(chat.Config{})
	for _, part := range []string{"commands", "policy", "replies", "proposals", "audit log", "log", "clock", "working"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", part, err)
		}
	}
}

func TestPolicyMaySpeakOfCommandsThatNeedAClusterButNotOfNone(t *testing.T) {
	t.Parallel()
	set, err := chatops.NewSet(time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.Parse("policy.yaml", []byte("confirm: [restart deployment, silence, restart everything]\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = chat.New(chat.Config{Commands: set, Policy: rules, Log: slog.Default()})
	if err == nil || !strings.Contains(err.Error(), `there is no command "restart everything"`) || strings.Contains(err.Error(), "silence") {
		t.Errorf("%v", err)
	}
}
