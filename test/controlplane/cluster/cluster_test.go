//go:build controlplane

package cluster_test

import (
	"strings"
	"testing"
	"time"

	"onceway.internal/test/controlplane/cluster"
	"onceway.internal/test/wait"
)

func TestControllersWorkAndAccountsHaveNoRightsOfTheirOwn(t *testing.T) {
	c := cluster.Start(t)
	c.Kubectl(t, "create", "namespace", "acme")
	c.Kubectl(t, "create", "serviceaccount", "nobody", "-n", "acme")
	c.Kubectl(t, "create", "deployment", "web", "--image=example.test/web:1", "--replicas=2", "-n", "acme")
	wait.Until(t, 30*time.Second, "two pods of the Deployment", func() bool {
		return strings.Count(c.Kubectl(t, "get", "pods", "-n", "acme", "-o", "name"), "pod/web-") == 2
	})

	kubeconfig, err := c.AccountKubeconfig(t.Context(), "acme", "nobody")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := cluster.Kubectl(t.Context(), kubeconfig, "", "get", "deployments", "-n", "acme"); err == nil || !strings.Contains(err.Error(), "acme:nobody") {
		t.Errorf("an account without roles read deployments: %q, error %v; want it known by its name and refused", out, err)
	}
}
