package deployment

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"onceway.internal/shared/chatops"
)

// revisionMark is where the Deployment's controller numbers ReplicaSets.
const revisionMark = "deployment.kubernetes.io/revision"

// untouched are the annotations that stay the Deployment's own in a rollback, as
// kubectl has them. Our list, which older ReplicaSets hold shortened, is written last.
var untouched = map[string]bool{
	corev1.LastAppliedConfigAnnotation:          true,
	revisionMark:                                true,
	"deployment.kubernetes.io/revision-history": true,
	"deployment.kubernetes.io/desired-replicas": true,
	"deployment.kubernetes.io/max-replicas":     true,
	appsv1.DeprecatedRollbackTo:                 true,
}

// rollback makes the pod template that of an older ReplicaSet, as kubectl does; 0
// is the one before the newest.
func (t Tool) rollback(to int64) edit {
	return func(ctx context.Context, d *appsv1.Deployment, p *patch) (string, error) {
		if err := paused(d); err != nil {
			return "", err
		}
		sets, err := t.Client.replicaSets(ctx, d)
		if err != nil {
			return "", err
		}
		rs, err := pick(sets, to)
		if err != nil {
			return "", err
		}
		template := rs.Spec.Template.DeepCopy()
		delete(template.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
		was, err := tree(d.Spec.Template)
		if err != nil {
			return "", err
		}
		is, err := tree(*template)
		if err != nil {
			return "", err
		}
		if reflect.DeepEqual(was, is) {
			return "", chatops.Refuse(fmt.Sprintf("It runs what revision %d is already.", revision(rs)))
		}
		p.Spec["template"] = replacement(was, is)
		annotations(d, rs, p)
		return fmt.Sprintf("Back to revision %d. `status deployment %s/%s` shows how far it is.", revision(rs), d.Namespace, d.Name), nil
	}
}

// pick finds the ReplicaSet of a revision.
func pick(sets []appsv1.ReplicaSet, to int64) (*appsv1.ReplicaSet, error) {
	slices.SortFunc(sets, func(a, b appsv1.ReplicaSet) int { return cmp.Compare(revision(&b), revision(&a)) })
	if to == 0 {
		if len(sets) < 2 || revision(&sets[1]) == 0 {
			return nil, chatops.Refuse("There is no older revision.")
		}
		return &sets[1], nil
	}
	var known []string
	for i := range sets {
		if revision(&sets[i]) == to {
			return &sets[i], nil
		}
		known = append(known, strconv.FormatInt(revision(&sets[i]), 10))
	}
	return nil, chatops.Refuse(fmt.Sprintf("There is no revision %d any more. There are: %s.", to, list(known)))
}

func list(all []string) string {
	if len(all) == 0 {
		return "none"
	}
	text := all[0]
	for _, s := range all[1:] {
		text += ", " + s
	}
	return text
}

func revision(rs *appsv1.ReplicaSet) int64 {
	n, err := strconv.ParseInt(rs.Annotations[revisionMark], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// annotations gives the Deployment those of the ReplicaSet.
func annotations(d *appsv1.Deployment, rs *appsv1.ReplicaSet, p *patch) {
	for k := range d.Annotations {
		if !untouched[k] {
			p.Metadata.Annotations[k] = nil
		}
	}
	for k, v := range rs.Annotations {
		if !untouched[k] {
			p.Metadata.Annotations[k] = &v
		}
	}
}

// replacement is a merge patch that turns one tree into another: what only the old
// one has must be named to go. Lists are replaced whole by a merge patch.
func replacement(was, is map[string]any) map[string]any {
	for k, old := range was {
		now, ok := is[k]
		if !ok {
			is[k] = nil
			continue
		}
		oldTree, isTree := old.(map[string]any)
		if nowTree, both := now.(map[string]any); isTree && both {
			is[k] = replacement(oldTree, nowTree)
		}
	}
	return is
}

func tree(t corev1.PodTemplateSpec) (map[string]any, error) {
	data, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("read pod template: %w", err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("read pod template: %w", err)
	}
	return m, nil
}
