package kubelet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

type object = map[string]any

func (k *Kubelet) list(ctx context.Context) ([]Pod, error) {
	var found struct {
		Items []Pod `json:"items"`
	}
	err := k.call(ctx, http.MethodGet, "", nil, &found)
	return found.Items, err
}

// bind does the scheduler's part. The node is a name alone.
func (k *Kubelet) bind(ctx context.Context, p Pod) error {
	return k.call(ctx, http.MethodPost, "/"+p.Metadata.Name+"/binding", object{
		"apiVersion": "v1", "kind": "Binding", "metadata": object{"name": p.Metadata.Name},
		"target": object{"apiVersion": "v1", "kind": "Node", "name": "node-1"},
	}, nil)
}

func (k *Kubelet) report(ctx context.Context, p Pod, phase string, ready bool) error {
	now := time.Now().UTC().Format(time.RFC3339)
	condition := object{"type": "Ready", "status": "False", "lastTransitionTime": now}
	if ready {
		condition["status"] = "True"
	}
	return k.call(ctx, http.MethodPatch, "/"+p.Metadata.Name+"/status", object{
		"status": object{"phase": phase, "conditions": []object{condition}},
	}, nil)
}

// remove confirms that a pod that was deleted has ended.
func (k *Kubelet) remove(ctx context.Context, p Pod) error {
	return k.call(ctx, http.MethodDelete, "/"+p.Metadata.Name, object{
		"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0,
		"preconditions": object{"uid": p.Metadata.UID},
	}, nil)
}

func (k *Kubelet) call(ctx context.Context, method, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	url := k.cfg.Cluster.URL + "/api/v1/namespaces/" + k.cfg.Namespace + "/pods" + path
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	res, err := k.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode == http.StatusNotFound || res.StatusCode == http.StatusConflict {
		return nil // the pod has changed or gone since it was listed: the next look sees it
	}
	if res.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, res.Status, data)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(data, out)
}
