package deployment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/once"
)

// tries is how often a patch is sent when others change the Deployment at the same
// time, or its answer is lost.
const tries = 5

// patch is a JSON merge patch on a Deployment.
type patch struct {
	Metadata struct {
		ResourceVersion string             `json:"resourceVersion"`
		Annotations     map[string]*string `json:"annotations,omitempty"` // nil removes one
	} `json:"metadata"`
	Spec map[string]any `json:"spec"`
}

// edit says what a change does to a Deployment as it stands, and what to tell
// people. It may be asked again with a newer one.
type edit func(ctx context.Context, d *appsv1.Deployment, p *patch) (text string, err error)

// change makes an edit once: it begins after the Deployment was read and the edit
// is known to make sense, and then sends the patch until its fate is known.
func (t Tool) change(ctx context.Context, op chatops.Operation, id ID, e edit) (string, error) {
	p, text, err := t.plan(ctx, op, id, e)
	if err != nil || p == nil {
		return text, refused(err, id)
	}
	ctx, err = op.Begin(ctx)
	if err != nil {
		return "", err
	}
	doubtful := false // whether a patch was sent whose fate is not known
	for try := 1; ; try++ {
		_, err := t.Client.patch(ctx, id, p)
		if err == nil {
			return text, nil
		}
		doubtful = doubtful || code(err) == 0 || code(err) >= http.StatusInternalServerError
		if code(err) != http.StatusConflict && !doubtful || try == tries || t.pause(ctx, try) != nil {
			return "", verdict(err, id, doubtful)
		}
		// Another change came first, or nothing is known. The list tells, and the patch
		// can't take effect twice, as it names the version that it changes.
		next, nextText, perr := t.plan(ctx, op, id, e)
		switch {
		case perr == nil && next == nil:
			return nextText, nil
		case perr == nil:
			p, text = next, nextText
		case doubtful || !isRefusal(refused(perr, id)):
			return "", verdict(errors.Join(err, perr), id, doubtful)
		default:
			return "", refused(perr, id)
		}
	}
}

// plan reads the Deployment and makes the patch for it; nil where the operation is
// done already.
func (t Tool) plan(ctx context.Context, op chatops.Operation, id ID, e edit) (*patch, string, error) {
	d, err := t.Client.get(ctx, id)
	if err != nil {
		return nil, "", err
	}
	list, ours, err := readOperations(d)
	if err != nil {
		return nil, "", chatops.Refuse("The annotation `" + Annotation + "` on it can't be read. Remove it, and ask again.")
	}
	if list.has(op.ID) {
		return nil, already, nil
	}
	p := &patch{Spec: map[string]any{}}
	p.Metadata.ResourceVersion = d.ResourceVersion
	p.Metadata.Annotations = map[string]*string{}
	text, err := e(ctx, d, p)
	if err != nil {
		return nil, "", err
	}
	content := list.with(op.ID, t.Now(), ours).String()
	p.Metadata.Annotations[Annotation] = &content
	return p, text, nil
}

const already = "It was done before this message came again."

// pause lets others finish: 50 ms, then twice as long each time.
func (t Tool) pause(ctx context.Context, try int) error {
	return t.Clock.Sleep(ctx, 25*time.Millisecond<<try)
}

// verdict says what the last failed try means after Begin: with a patch under way
// whose fate is not known nothing is proven, else the server's answer does.
func verdict(err error, id ID, doubtful bool) error {
	if doubtful {
		return chatops.Explain(err, "The cluster did not answer in time.")
	}
	if r := refused(err, id); isRefusal(r) {
		return r
	}
	return once.NoEffect(chatops.Explain(err, "The cluster did not take the change, as others change it at the same time."))
}

func isRefusal(err error) bool {
	_, ok := errors.AsType[*chatops.Refusal](err)
	return ok
}

// refused gives people the reason for an answer that trying again won't change.
// refused(nil) is nil.
func refused(err error, id ID) error {
	switch code(err) {
	case http.StatusNotFound:
		return chatops.Refuse(fmt.Sprintf("There is no deployment `%s` in this cluster.", id))
	case http.StatusForbidden:
		return chatops.Refuse(fmt.Sprintf("The cluster does not let me do that in namespace `%s`: see infra/chat-rbac.yaml.", id.Namespace))
	case http.StatusUnprocessableEntity, http.StatusBadRequest:
		return chatops.Refuse("The cluster finds the change invalid.")
	}
	if isRefusal(err) {
		return err
	}
	return chatops.Explain(err, "The cluster does not answer just now.")
}
