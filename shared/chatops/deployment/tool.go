package deployment

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/policy"
	"onceway.internal/shared/clock"
	"onceway.internal/shared/once"
	"onceway.internal/shared/pattern"
)

// Tool is what the commands work with.
type Tool struct {
	Client *Client
	// Now stamps the operations on a Deployment.
	Now   func() time.Time
	Clock clock.Clock
}

// ID names a Deployment.
type ID struct{ Namespace, Name string }

func (id ID) String() string { return id.Namespace + "/" + id.Name }

var (
	namespace = pattern.Bounded(1, 63, `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	name      = pattern.Bounded(1, 253, `^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$`)
)

// ParseID reads NAMESPACE/NAME.
func ParseID(text string) (ID, error) {
	ns, n, found := strings.Cut(text, "/")
	if !found || !namespace.MatchString(ns) || !name.MatchString(n) {
		return ID{}, fmt.Errorf("%s is not NAMESPACE/NAME of a deployment, as in shop/payments", chatops.Quote(text))
	}
	return ID{ns, n}, nil
}

// maxReplicas is what scale takes: a slip of the finger is no wish.
const maxReplicas = 1000

// Names lists the commands about Deployments.
func Names() []string {
	return []string{"status deployment", "restart deployment", "scale deployment", "rollback deployment"}
}

// Commands answers with the commands about Deployments.
func Commands(t Tool) ([]chatops.Command, error) {
	if t.Client == nil || t.Now == nil || t.Clock == nil {
		return nil, errors.New("deployment commands: client or clock are missing")
	}
	return []chatops.Command{
		{
			Name: "status deployment", Usage: "NAMESPACE/NAME", Brief: "shows how many pods are ready and of which revision",
			Role: policy.Viewer, Effect: chatops.Reads, Parse: t.parseStatus,
		},
		t.changing("restart", "", "replaces all pods, a few at a time", func(*chatops.Args) (edit, string, error) {
			return nil, "", nil
		}, t.restart),
		t.changing("scale", " N", "sets the number of pods", parseReplicas, nil),
		t.changing("rollback", " [to REVISION]", "goes back to an older revision", t.parseRevision, nil),
	}, nil
}

// changing is a command that changes a Deployment: rest reads what follows its
// name into an edit, unless every call has its own.
func (t Tool) changing(verb, usage, brief string, rest func(*chatops.Args) (edit, string, error), own func(chatops.Operation) edit) chatops.Command {
	return chatops.Command{
		Name: verb + " deployment", Usage: "NAMESPACE/NAME" + usage, Brief: brief,
		Role: policy.Operator, Effect: chatops.Once, Verify: t.verify,
		Parse: func(a chatops.Args) (chatops.Call, error) {
			text, err := a.Next("NAMESPACE/NAME")
			if err != nil {
				return chatops.Call{}, err
			}
			id, err := ParseID(text)
			if err != nil {
				return chatops.Call{}, err
			}
			e, detail, err := rest(&a)
			if err != nil {
				return chatops.Call{}, err
			}
			why, err := a.Because()
			if err != nil {
				return chatops.Call{}, err
			}
			return chatops.Call{
				Target: id.String(), Detail: detail, Reason: why, Subject: subject(id, a.At),
				Do: func(ctx context.Context, op chatops.Operation) (string, error) {
					if own != nil {
						return t.change(ctx, op, id, own(op))
					}
					return t.change(ctx, op, id, e)
				},
			}, nil
		},
	}
}

func parseReplicas(a *chatops.Args) (edit, string, error) {
	a.Accept("to")
	text, err := a.Next("the number of pods")
	if err != nil {
		return nil, "", err
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n > maxReplicas {
		return nil, "", fmt.Errorf("%s is not a number of pods from 0 to %d", chatops.Quote(text), maxReplicas)
	}
	return scale(int32(n)), "to " + text, nil
}

func (t Tool) parseRevision(a *chatops.Args) (edit, string, error) {
	if !a.Accept("to") {
		return t.rollback(0), "to the revision before", nil
	}
	a.Accept("revision")
	text, err := a.Next("the revision")
	if err != nil {
		return nil, "", err
	}
	n, err := strconv.ParseInt(text, 10, 63)
	if err != nil || n < 1 {
		return nil, "", fmt.Errorf("%s is not a revision: they count from 1", chatops.Quote(text))
	}
	return t.rollback(n), "to revision " + text, nil
}

// subject holds what Verify needs: which Deployment, and when it was asked for.
func subject(id ID, at time.Time) string {
	if at.IsZero() {
		return id.String()
	}
	return id.String() + " " + at.UTC().Format(time.RFC3339)
}

// clockMargin is how far the clocks of Chat and of whoever writes the list may differ.
const clockMargin = time.Minute

// verify looks for the operation in the Deployment's list; see the package's comment.
func (t Tool) verify(ctx context.Context, subject, operationID string) (once.Answer, error) {
	text, asked, _ := strings.Cut(subject, " ")
	id, err := ParseID(text)
	if err != nil {
		return once.Unknown, err
	}
	d, err := t.Client.get(ctx, id)
	if err != nil {
		return once.Unknown, err
	}
	list, ours, err := readOperations(d)
	if err != nil {
		return once.Unknown, err
	}
	if list.has(operationID) {
		return once.EffectDone, nil
	}
	at, err := time.Parse(time.RFC3339, asked)
	if err == nil && ours && !list.Since.IsZero() && at.After(list.Since.Add(clockMargin)) {
		return once.EffectNotDone, nil
	}
	return once.Unknown, nil
}
