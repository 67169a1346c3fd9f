//go:build controlplane

package controlplane

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"onceway.internal/test/controlplane/cluster"
	"onceway.internal/test/controlplane/external"
	"onceway.internal/test/controlplane/kubelet"
	"onceway.internal/test/wait"
)

const windowsAccount = deployment + "-windows"

var windowValues = []string{
	"--set=autoscaling.adapter.enabled=true",
	`--set-json=windows.list=[{"name":"evening","start":"0 17 * * *","end":"0 21 * * *","minReplicas":4}]`,
}

// TestWindowRaisesAndRestoresTheMinimum: the CronJobs' own jobs, as their own account,
// change the autoscaler, and the Deployment follows.
func TestWindowRaisesAndRestoresTheMinimum(t *testing.T) {
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Fatal(err)
	}
	c := cluster.Start(t)
	restricted(t, c, "acme")
	external.Serve(t, c, func(external.Query) (int64, bool) { return 1, true })
	kubelet.Run(t, kubelet.Config{
		Cluster: c, Namespace: "acme", Programs: map[string]string{"/bin/kubectl": kubectl},
		Env: func(p kubelet.Pod, _ string) []string {
			path, err := c.AccountKubeconfig(t.Context(), "acme", p.Spec.ServiceAccountName)
			if err != nil {
				t.Errorf("get the account's token: %v", err)
			}
			return []string{"KUBECONFIG=" + path, "HOME=" + t.TempDir()}
		},
	})
	c.Apply(t, "acme", mustRender(t, "acme", windowValues...))
	replicas := watchDeployment(t, c, "acme", deployment, func() int64 { return 1 })
	at := func(n int) {
		t.Helper()
		wait.Until(t, time.Minute, "the Deployment at its minimum", func() bool { return replicas.now().wanted == n })
	}
	at(1)
	for _, act := range []struct {
		name string
		min  int
	}{{"raise", 4}, {"restore", 1}} {
		c.Kubectl(t, "create", "job", act.name+"-now", "-n", "acme", "--from=cronjob/"+deployment+"-evening-"+act.name)
		c.Kubectl(t, "wait", "--for=condition=Complete", "--timeout=60s", "-n", "acme", "job/"+act.name+"-now")
		at(act.min)
	}
	t.Logf("replicas over time:\n%s", replicas)
	mayPatchOneAutoscaler(t, c)
}

// mayPatchOneAutoscaler: this autoscaler, and nothing else.
func mayPatchOneAutoscaler(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	c.Kubectl(t, "create", "namespace", "globex")
	kubeconfig, err := c.AccountKubeconfig(t.Context(), "acme", windowsAccount)
	if err != nil {
		t.Fatal(err)
	}
	const autoscaler = "horizontalpodautoscalers.autoscaling/"
	for _, tt := range []struct{ verb, what, namespace, want string }{
		{"patch", autoscaler + deployment, "acme", "yes"},
		{"get", autoscaler + deployment, "acme", "yes"},
		{"update", autoscaler + deployment, "acme", "no"},
		{"delete", autoscaler + deployment, "acme", "no"},
		{"patch", autoscaler + "other", "acme", "no"},
		{"patch", autoscaler + deployment, "globex", "no"},
		{"list", "horizontalpodautoscalers.autoscaling", "acme", "no"},
		{"create", "horizontalpodautoscalers.autoscaling", "acme", "no"},
		{"patch", "deployments.apps/" + deployment, "acme", "no"},
		{"patch", "deployments.apps/" + deployment + "/scale", "acme", "no"},
		{"get", "secrets", "acme", "no"},
		{"create", "pods", "acme", "no"},
	} {
		out, _ := cluster.Kubectl(t.Context(), kubeconfig, "", "auth", "can-i", tt.verb, tt.what, "-n", tt.namespace) // "no" is an error, too
		if got := strings.TrimSpace(out); got != tt.want {
			t.Errorf("may it %s %s in %s? %q, want %q", tt.verb, tt.what, tt.namespace, got, tt.want)
		}
	}
	rules, err := cluster.Kubectl(t.Context(), kubeconfig, "", "auth", "can-i", "--list", "--no-headers", "-n", "acme")
	if err != nil {
		t.Fatal(err)
	}
	var given []string
	for line := range strings.Lines(rules) {
		// what every account may: ask about itself, and read what there is
		if !strings.HasPrefix(line, "selfsubject") && !strings.HasPrefix(strings.TrimSpace(line), "[/") {
			given = append(given, strings.Join(strings.Fields(line), " "))
		}
	}
	want := "horizontalpodautoscalers.autoscaling [] [" + deployment + "] [get patch]"
	if len(given) != 1 || given[0] != want {
		t.Errorf("rules of the account:\n%s\nwant only: %s", strings.Join(given, "\n"), want)
	}
}
