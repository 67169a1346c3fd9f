package chat

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/once"
)

// ask does what a command asks for, or proposes it.
func (t *turn) ask(ctx context.Context) error {
	if may, err := t.may(ctx); !may {
		return err
	}
	if t.h.asksFirst(t.in) {
		return t.propose(ctx)
	}
	return t.do(ctx)
}

// may answers whoever may not ask for this, once that is in the audit log.
func (t *turn) may(ctx context.Context) (bool, error) {
	c, p, e := t.in.command, t.h.c.Policy, t.in.event
	has := p.Role(policy.Who{Email: e.User.Email, Space: e.Space.Name, App: e.User.Bot})
	needs := p.Least(c.Name, c.Role)
	if has >= needs {
		return true, nil
	}
	if err := t.record(ctx, "refused", audit.Refused, fmt.Sprintf("has role %s, needs %s", has, needs)); err != nil {
		return false, once.Retry(err)
	}
	return false, t.say(ctx, fmt.Sprintf("You may not do `%s` here: it needs the role %s, and you have %s. "+
		"Ask an %s, or whoever keeps the policy file.", c.Name, needs, has, needs))
}

// do runs the command's tool and answers with what came of it.
func (t *turn) do(ctx context.Context) error {
	c, call := t.in.command, t.in.call
	begun := false
	op := chatops.Operation{ID: t.d.OperationID, Epoch: t.d.Epoch, Actor: t.actor, At: t.in.at}
	op.Begin = func(ctx context.Context) (context.Context, error) {
		if c.Effect == chatops.Reads {
			return ctx, nil
		}
		if err := t.record(ctx, "started", audit.Started, ""); err != nil {
			return ctx, err
		}
		if c.Effect != chatops.Once {
			return ctx, nil
		}
		ctx, err := t.d.Begin(ctx)
		begun = err == nil
		return ctx, err
	}
	stop := t.answer.working(ctx, "Working on `"+summary(t.in)+"`…")
	defer stop() // also when the tool panics
	text, err := call.Do(ctx, op)
	stop() // before the answer, which must be the last word
	if err != nil {
		return t.failed(ctx, err, begun)
	}
	if c.Effect == chatops.Reads {
		return t.say(ctx, text)
	}
	t.ended(ctx, audit.Done)
	t.answer.settle(ctx, "Done: `"+summary(t.in)+"`.\n"+text)
	return nil
}

// ended audits how a change ended. That it began is known already, so a log that
// does not answer now costs no more than this line.
func (t *turn) ended(ctx context.Context, o audit.Outcome) {
	ctx, cancel := t.h.c.after(ctx)
	defer cancel()
	if err := t.record(ctx, string(o), o, ""); err != nil {
		t.log.ErrorContext(ctx, "audit entry lost", slog.String("outcome", string(o)), slog.Any("error", err))
	}
}

// record writes an audit entry that repeats of this event write only once.
func (t *turn) record(ctx context.Context, step string, o audit.Outcome, note string) error {
	err := t.h.c.Audit.Record(ctx, audit.Entry{
		ID: t.d.OperationID + "/" + step, At: t.h.c.Clock.Now(), Actor: t.actor, Via: audit.Chat, Outcome: o,
		Action: t.in.command.Name, Target: t.in.call.Target, Reason: t.in.call.Reason, After: cmp.Or(note, t.in.call.Detail),
	})
	if err != nil {
		return fmt.Errorf("audit %s: %w", t.in.command.Name, err)
	}
	return nil
}
