package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"time"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/claim"
)

// confirm asks before anything is changed. Without --yes an answer has to be typed:
// the end of the input is a no.
func (t *terminal) confirm(format string, args ...any) error {
	if t.cli.Actor == "" {
		return fmt.Errorf("%w: say who you are with --actor or ONCEWAY_ACTOR: changes are audited", errUsage)
	}
	if t.cli.Yes {
		return nil
	}
	fmt.Fprintf(t.errw, format+" [y/N] ", args...)
	line, _ := bufio.NewReader(t.in).ReadString('\n') // an error is the end of input: no
	if a := strings.ToLower(strings.TrimSpace(line)); a == "y" || a == "yes" {
		return nil
	}
	return errNo
}

// audited does what was confirmed, between two entries of the audit log.
func (t *terminal) audited(action, target string, do func(context.Context) error) error {
	app, err := t.app()
	if err != nil {
		return err
	}
	log, err := app.Audit(t.ctx)
	if err != nil {
		return err
	}
	return audit.Act(t.ctx, log, audit.Entry{
		ID: claim.NewToken(), At: time.Now(), Actor: t.cli.Actor, Action: action, Target: target,
		Reason: t.cli.Why, Via: audit.Ctl,
	}, do)
}

// by is who acts, as a claim's trace has it.
func (t *terminal) by() string { return "operator " + claim.Cut(t.cli.Actor, 64) }

func (t *terminal) why(otherwise string) string {
	if t.cli.Why != "" {
		return t.cli.Why
	}
	return otherwise
}
