package deployment

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"onceway.internal/shared/chatops"
)

func (t Tool) parseStatus(a chatops.Args) (chatops.Call, error) {
	text, err := a.Next("NAMESPACE/NAME")
	if err != nil {
		return chatops.Call{}, err
	}
	id, err := ParseID(text)
	if err != nil {
		return chatops.Call{}, err
	}
	if err := a.End(); err != nil {
		return chatops.Call{}, err
	}
	return chatops.Call{Target: id.String(), Do: func(ctx context.Context, _ chatops.Operation) (string, error) {
		d, err := t.Client.get(ctx, id)
		if err != nil {
			return "", refused(err, id)
		}
		return show(d), nil
	}}, nil
}

// show fits a phone but for long images.
func show(d *appsv1.Deployment) string {
	s := d.Status
	lines := []string{
		fmt.Sprintf("%-9s %d of %d", "ready", s.ReadyReplicas, replicas(d)),
		fmt.Sprintf("%-9s %d", "updated", s.UpdatedReplicas),
		fmt.Sprintf("%-9s %s", "revision", d.Annotations[revisionMark]),
	}
	for _, c := range d.Spec.Template.Spec.Containers {
		image := c.Image
		if i := strings.LastIndexByte(image, '/'); i >= 0 {
			image = image[i+1:]
		}
		lines = append(lines, fmt.Sprintf("%-9s %s", "image", image))
	}
	return fmt.Sprintf("*%s/%s*: %s\n%s", d.Namespace, d.Name, rollout(d), chatops.Block(lines))
}

// rollout says in a few words how far the newest revision is, in kubectl's order.
func rollout(d *appsv1.Deployment) string {
	s := d.Status
	switch {
	case d.Spec.Paused:
		return "its rollout is paused"
	case s.ObservedGeneration < d.Generation:
		return "the last change is not taken up yet"
	}
	for _, c := range s.Conditions {
		if c.Type == appsv1.DeploymentProgressing && c.Status == corev1.ConditionFalse {
			return "its rollout is stuck: " + c.Reason
		}
	}
	switch {
	case s.UpdatedReplicas < replicas(d):
		return "rolling out"
	case s.Replicas > s.UpdatedReplicas:
		return "old pods are ending"
	case s.AvailableReplicas < s.UpdatedReplicas:
		return "waiting for pods to be available"
	}
	return "rolled out"
}
