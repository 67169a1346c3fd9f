package chat

import (
	"context"
	"errors"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/chatops"
	"onceway.internal/shared/once"
)

// failed answers for a tool that answered with an error, and says by its own
// error what becomes of the event.
func (t *turn) failed(ctx context.Context, err error, begun bool) error {
	what := "`" + summary(t.in) + "`"
	if r, ok := errors.AsType[*chatops.Refusal](err); ok {
		if t.in.command.Effect == chatops.Reads {
			return t.say(ctx, r.Text)
		}
		t.ended(ctx, audit.Failed)
		t.answer.settle(ctx, "Not done: "+what+".\n"+r.Text)
		return nil
	}
	_, unchanged := errors.AsType[*once.NoEffectError](err)
	if begun && !unchanged {
		t.ended(ctx, audit.Unknown)
		t.answer.settle(ctx, "It is not known whether "+what+" happened. "+chatops.Explanation(err)+
			"\nLook before you ask again. It is kept until it is settled: see `claims`.")
		return err
	}
	t.answer.settle(ctx, "Not done yet: "+what+". "+chatops.Explanation(err)+
		"\nIt will be tried again by itself; you need not ask again.")
	return err
}
