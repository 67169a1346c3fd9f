package console

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/claim"
	"onceway.internal/shared/groups"
)

// actLimit bounds one act, whose request may be gone by then.
const actLimit = 30 * time.Second

// actsKept is how many acts a process remembers, to answer a second click at once.
// Across processes the stores themselves recognise a repeat.
const actsKept = 4096

// act is one change that a person asked for.
type act struct {
	who    Person
	name   string // the policy's word for it
	target string
	why    string
	token  string // the form's
	// content is what else was asked for: a form that comes back by the browser's
	// history under its old token, filled in anew, is another operation.
	content string
}

// op is the operation's ID: the same for every repeat of the same form.
func (a act) op() string {
	return "console/" + claim.Digest(a.who.Email, a.name, a.target, a.token, a.content)[:32]
}

// by marks the operation in a claim's trace.
func (a act) by() string { return "operator " + a.op()[len("console/"):][:12] }

// acts lets the second of two clicks wait for the first, and gives it the same answer.
type acts struct {
	mu   sync.Mutex
	runs *lru.Cache[string, *run]
}

type run struct {
	done chan struct{}
	err  error
}

func newActs() (*acts, error) {
	runs, err := lru.New[string, *run](actsKept)
	if err != nil {
		return nil, fmt.Errorf("remember acts: %w", err)
	}
	return &acts{runs: runs}, nil
}

// once runs do for the first caller with op; the others wait for its answer. What
// failed is forgotten, so that it may be tried again.
func (a *acts) once(ctx context.Context, op string, do func(context.Context) error) error {
	a.mu.Lock()
	r, running := a.runs.Get(op)
	if !running {
		r = &run{done: make(chan struct{}), err: errors.New("act did not end")}
		a.runs.Add(op, r)
	}
	a.mu.Unlock()
	if running {
		select {
		case <-r.done:
			return r.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer func() {
		if r.err != nil {
			a.mu.Lock()
			a.runs.Remove(op)
			a.mu.Unlock()
		}
		close(r.done)
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), actLimit)
	defer cancel()
	r.err = do(ctx)
	return r.err
}

// do makes an act: allowed, once. It answers with the operation's ID.
func (h *Handler) do(ctx context.Context, a act, change func(ctx context.Context, a act) error) (op string, err error) {
	if a.token == "" || len(a.token) > 128 {
		return "", problemOf(400, codeInvalid, "The request names no operation: send the form's token, or an Idempotency-Key.")
	}
	if !h.may(a.who, a.name) {
		h.note(context.WithoutCancel(ctx), a, "refused", audit.Refused, "")
		return "", problemOf(403, codeRole, fmt.Sprintf("You are %s here. %s needs %s.", a.who.Role, a.name, h.Policy.Least(a.name, policy.Operator)))
	}
	return a.op(), h.acts.once(ctx, a.op(), func(ctx context.Context) error { return change(ctx, a) })
}

// audited records that the act begins, makes it, and records how it ended. When the
// first can't be kept, nothing is done.
func (h *Handler) audited(ctx context.Context, a act, do func(context.Context) error) error {
	if err := h.Audit.Record(ctx, h.entry(a, "started", audit.Started, "")); err != nil {
		return fmt.Errorf("record %s in the audit log: nothing was done: %w", a.name, err)
	}
	err := do(ctx)
	h.ended(ctx, a, err)
	return err
}

func (h *Handler) ended(ctx context.Context, a act, err error) {
	switch {
	case err == nil:
		h.note(ctx, a, "ended", audit.Done, "")
	case definite(err):
		h.note(ctx, a, "ended", audit.Failed, err.Error())
	default:
		h.note(ctx, a, "ended", audit.Unknown, err.Error())
	}
}

// note records what the act itself does not depend on.
func (h *Handler) note(ctx context.Context, a act, step string, o audit.Outcome, after string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), actLimit)
	defer cancel()
	if err := h.Audit.Record(ctx, h.entry(a, step, o, after)); err != nil {
		h.Log.ErrorContext(ctx, "act can't be recorded in the audit log", "event", "console.audit", "action", a.name, "error", err)
	}
}

func (h *Handler) entry(a act, step string, o audit.Outcome, after string) audit.Entry {
	return audit.Entry{
		ID: a.op() + "/" + step, At: h.Now(), Actor: a.who.Email, Action: a.name, Target: a.target,
		Reason: a.why, After: after, Via: audit.Console, Outcome: o,
	}
}

// definite reports whether err says that nothing was changed.
func definite(err error) bool {
	for _, k := range known {
		if errors.Is(err, k.err) {
			return !errors.Is(err, claim.ErrUnresolved)
		}
	}
	return errors.Is(err, groups.ErrConflict)
}

// How long another process is given to end the operation that both were asked for.
const (
	otherTries = 5
	otherPause = 200 * time.Millisecond
)

// didBeside waits a moment for the operation to end well in another process, which
// took the other click of the same form.
func (h *Handler) didBeside(ctx context.Context, a act) bool {
	for range otherTries {
		if h.didBefore(ctx, a) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(otherPause):
		}
	}
	return false
}

// auditLook is how many of the newest entries are searched for an operation.
const auditLook = 200

// didBefore reports whether the operation ended well already, in another process.
func (h *Handler) didBefore(ctx context.Context, a act) bool {
	entries, _, err := h.Audit.List(ctx, "", auditLook)
	if err != nil {
		return false // then the caller tells what it found instead
	}
	for _, e := range entries {
		if e.ID == a.op()+"/ended" && e.Outcome == audit.Done {
			return true
		}
	}
	return false
}
