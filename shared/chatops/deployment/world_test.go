package deployment_test

import (
	"context"
	"testing"
	"time"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/deployment"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/once"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// world speaks commands to a cluster.
type world struct {
	t   *testing.T
	set *chatops.Set
	now time.Time // by the clock of whoever writes the list
}

func newWorld(t *testing.T, c *deployment.Client) *world {
	t.Helper()
	w := &world{t: t, now: noon}
	commands, err := deployment.Commands(deployment.Tool{Client: c, Now: func() time.Time { return w.now }, Clock: clock.System{}})
	if err != nil {
		t.Fatal(err)
	}
	w.set, err = chatops.NewSet(time.UTC, commands...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// say runs a line under an operation ID and tells whether it began.
func (w *world) say(line, op string) (text string, begun bool, err error) {
	w.t.Helper()
	_, call, err := w.set.Parse(line, noon)
	if err != nil {
		w.t.Fatalf("%q: %v", line, err)
	}
	text, err = call.Do(w.t.Context(), chatops.Operation{ID: op, Actor: "ann@acme.example", At: noon, Begin: func(ctx context.Context) (context.Context, error) {
		begun = true
		return ctx, nil
	}})
	return text, begun, err
}

func (w *world) must(line, op string) string {
	w.t.Helper()
	text, _, err := w.say(line, op)
	if err != nil {
		w.t.Fatalf("%q: %v", line, err)
	}
	return text
}

// verify asks what became of an operation that was asked for at a time.
func (w *world) verify(line, op string, asked time.Time) once.Answer {
	w.t.Helper()
	c, call, err := w.set.Parse(line, asked)
	if err != nil {
		w.t.Fatal(err)
	}
	got, err := c.Verify(w.t.Context(), call.Subject, op)
	if err != nil && got != once.Unknown {
		w.t.Fatalf("%v with an error: %v", got, err)
	}
	return got
}
