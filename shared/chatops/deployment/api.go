package deployment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// manager owns the fields that we write.
const manager = "onceway"

// maxAnswer bounds an answer: a namespace's ReplicaSets can be many.
const maxAnswer = 32 << 20

// StatusError is an answer of the API server that is not a success.
type StatusError struct {
	Op     string
	Code   int
	Reason string // the server's own word, such as Conflict
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s: the cluster answered %d %s", e.Op, e.Code, e.Reason)
}

func code(err error) int {
	if e, ok := errors.AsType[*StatusError](err); ok {
		return e.Code
	}
	return 0
}

func (c *Client) get(ctx context.Context, id ID) (*appsv1.Deployment, error) {
	d := new(appsv1.Deployment)
	err := c.call(ctx, "read deployment", http.MethodGet, c.path(id, nil), "", nil, d)
	return d, err
}

// patch sends a JSON merge patch that must hold a resourceVersion.
func (c *Client) patch(ctx context.Context, id ID, patch any) (*appsv1.Deployment, error) {
	body, err := json.Marshal(patch)
	if err != nil {
		return nil, fmt.Errorf("patch deployment: %w", err)
	}
	d := new(appsv1.Deployment)
	u := c.path(id, url.Values{"fieldManager": {manager}})
	err = c.call(ctx, "patch deployment", http.MethodPatch, u, "application/merge-patch+json", body, d)
	return d, err
}

// replicaSets lists those that the Deployment's selector finds and that it owns.
func (c *Client) replicaSets(ctx context.Context, d *appsv1.Deployment) ([]appsv1.ReplicaSet, error) {
	selector, err := metav1.LabelSelectorAsSelector(d.Spec.Selector)
	if err != nil {
		return nil, fmt.Errorf("list replica sets: %w", err)
	}
	u := c.base.JoinPath("apis/apps/v1/namespaces", d.Namespace, "replicasets")
	u.RawQuery = url.Values{"labelSelector": {selector.String()}}.Encode()
	var list appsv1.ReplicaSetList
	if err := c.call(ctx, "list replica sets", http.MethodGet, u, "", nil, &list); err != nil {
		return nil, err
	}
	var owned []appsv1.ReplicaSet
	for _, rs := range list.Items {
		if owner := metav1.GetControllerOf(&rs); owner != nil && owner.UID == d.UID {
			owned = append(owned, rs)
		}
	}
	return owned, nil
}

func (c *Client) path(id ID, query url.Values) *url.URL {
	u := c.base.JoinPath("apis/apps/v1/namespaces", id.Namespace, "deployments", id.Name)
	u.RawQuery = query.Encode()
	return u
}

func (c *Client) call(ctx context.Context, op, method string, u *url.URL, kind string, body []byte, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	req.Header.Set("Accept", "application/json")
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if resp.StatusCode/100 != 2 {
		var s metav1.Status
		_ = json.Unmarshal(answer, &s) // a proxy's error page has no reason
		return &StatusError{Op: op, Code: resp.StatusCode, Reason: string(s.Reason)}
	}
	if err == nil {
		err = json.Unmarshal(answer, into)
	}
	if err != nil {
		return fmt.Errorf("%s: read answer: %w", op, err)
	}
	return nil
}
