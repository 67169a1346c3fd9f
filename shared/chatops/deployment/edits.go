package deployment

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"onceway.internal/shared/chatops"
)

const (
	// restartedAt is kubectl's own annotation, so that its tools show the restart.
	restartedAt = "kubectl.kubernetes.io/restartedAt"
	// restartedBy makes the pod template differ whatever the time is.
	restartedBy = "onceway.internal/restart"
)

func paused(d *appsv1.Deployment) error {
	if d.Spec.Paused {
		return chatops.Refuse("Its rollout is paused. Resume it first: `kubectl rollout resume`.")
	}
	return nil
}

// restart changes the pod template's annotations, as kubectl does.
func (t Tool) restart(op chatops.Operation) edit {
	return func(_ context.Context, d *appsv1.Deployment, p *patch) (string, error) {
		if err := paused(d); err != nil {
			return "", err
		}
		p.Spec["template"] = map[string]any{"metadata": map[string]any{"annotations": map[string]string{
			restartedAt: t.Now().UTC().Format(time.RFC3339), restartedBy: op.ID,
		}}}
		return fmt.Sprintf("%s being replaced. `status deployment %s/%s` shows how far it is.",
			pods(replicas(d), "is", "are"), d.Namespace, d.Name), nil
	}
}

func scale(n int32) edit {
	return func(_ context.Context, d *appsv1.Deployment, p *patch) (string, error) {
		p.Spec["replicas"] = n
		return fmt.Sprintf("From %d to %d.", replicas(d), n), nil
	}
}

// replicas is how many are wanted; the API's default is one.
func replicas(d *appsv1.Deployment) int32 {
	if d.Spec.Replicas == nil {
		return 1
	}
	return *d.Spec.Replicas
}

func pods(n int32, one, many string) string {
	if n == 1 {
		return "1 pod " + one
	}
	return fmt.Sprintf("%d pods %s", n, many)
}
