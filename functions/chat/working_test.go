package chat_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/once"
	"onceway.internal/test/wait"
)

// handClock lets pauses end when the test says so.
type handClock struct {
	passed chan struct{}
}

func newHandClock() *handClock { return &handClock{passed: make(chan struct{})} }

func (c *handClock) Now() time.Time { return time.Now() }

func (c *handClock) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

func (c *handClock) Sleep(ctx context.Context, _ time.Duration) error {
	select {
	case <-c.passed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func slow(release <-chan struct{}) chatops.Command {
	return chatops.Command{
		Name: "crawl", Role: policy.Operator, Effect: chatops.Once,
		Parse: func(a chatops.Args) (chatops.Call, error) {
			return chatops.Call{Target: "slowly", Do: func(ctx context.Context, op chatops.Operation) (string, error) {
				if _, err := op.Begin(ctx); err != nil {
					return "", err
				}
				<-release
				return "arrived", nil
			}}, a.End()
		},
	}
}

func TestLongWorkPostsWorkingAndThenEditsIt(t *testing.T) {
	t.Parallel()
	release, hand := make(chan struct{}), newHandClock()
	w := newWorld(t, options{commands: []chatops.Command{slow(release)}, clock: hand})
	ended := make(chan once.Report)
	go func() { ended <- w.runner.Deliver(t.Context(), w.Handler, said("crawl", room, ann)) }()
	close(hand.passed)
	wait.Until(t, 5*time.Second, "working is posted", func() bool {
		all := w.api.posted()
		return len(all) == 1 && strings.Contains(all[0].Text, "Working on `crawl slowly`")
	})
	close(release)
	if rep := <-ended; rep.Outcome != once.Done {
		t.Errorf("%v %v", rep.Outcome, rep.Err)
	}
	if text, _ := w.only(t); text != "Done: `crawl slowly`.\narrived" || w.api.edits != 1 {
		t.Errorf("it reads %q after %d edits", text, w.api.edits)
	}
}

func TestShortWorkPostsOneMessageAndEditsNone(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	close(release)
	w := newWorld(t, options{commands: []chatops.Command{slow(release)}, clock: newHandClock()})
	w.deliver(t, said("crawl", room, ann))
	if text, _ := w.only(t); !strings.HasPrefix(text, "Done:") || w.api.calls != 1 {
		t.Errorf("it reads %q after %d calls", text, w.api.calls)
	}
}

// TestWorkingFromBeforeACrashIsEdited loses the process that posted it: the next
// knows no message name, and the request ID leads to it.
func TestWorkingFromBeforeACrashIsEdited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.hook.answers = []int{429}
	m := said("purge cache eu", room, ann)
	w.deliver(t, m)
	if text, _ := w.only(t); !strings.HasPrefix(text, "Not done yet") {
		t.Fatalf("first: %q", text)
	}
	w.deliver(t, m)
	if text, _ := w.only(t); !strings.HasPrefix(text, "Done") {
		t.Errorf("then: %q", text)
	}
}

// TestAPanicLeavesNoProgressBehind would post "working" after the event was settled.
func TestAPanicLeavesNoProgressBehind(t *testing.T) {
	t.Parallel()
	hand := newHandClock()
	tool := slow(nil)
	tool.Parse = func(chatops.Args) (chatops.Call, error) {
		return chatops.Call{Do: func(context.Context, chatops.Operation) (string, error) { panic("broken tool") }}, nil
	}
	w := newWorld(t, options{commands: []chatops.Command{tool}, clock: hand})
	if rep := w.deliver(t, said("crawl", room, ann)); rep.Outcome != once.Failed {
		t.Errorf("%v", rep.Outcome)
	}
	close(hand.passed)
	if all := w.api.posted(); len(all) != 0 {
		t.Errorf("posted: %+v", all)
	}
}
