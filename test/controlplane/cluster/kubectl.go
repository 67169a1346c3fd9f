package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Kubectl runs kubectl as the administrator and answers with what it printed; it
// fails the test when kubectl fails.
func (c *Cluster) Kubectl(t testing.TB, args ...string) string {
	t.Helper()
	out, err := c.Try(t.Context(), "", args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Apply has the API server check manifests strictly and apply them server-side.
func (c *Cluster) Apply(t testing.TB, namespace, manifests string) {
	t.Helper()
	if _, err := c.Try(t.Context(), manifests, "apply", "--server-side", "--validate=strict", "-n", namespace, "-f", "-"); err != nil {
		t.Fatal(err)
	}
}

// Try runs kubectl as the administrator with that standard input. The error has what
// kubectl said.
func (c *Cluster) Try(ctx context.Context, stdin string, args ...string) (string, error) {
	return Kubectl(ctx, c.Kubeconfig, stdin, args...)
}

// Kubectl runs kubectl with the access that a kubeconfig file gives.
func Kubectl(ctx context.Context, kubeconfig, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "kubectl", append([]string{"--kubeconfig=" + kubeconfig}, args...)...)
	var out, errOut bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errOut
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(errOut.String()))
	}
	return out.String(), nil
}

// AccountKubeconfig is a file with the access of a service account, as its pods have it.
func (c *Cluster) AccountKubeconfig(ctx context.Context, namespace, account string) (string, error) {
	token, err := c.Try(ctx, "", "create", "token", account, "-n", namespace)
	if err != nil {
		return "", err
	}
	return c.writeKubeconfig(namespace+"."+account, strings.TrimSpace(token), namespace)
}

// writeKubeconfig writes JSON, which is YAML.
func (c *Cluster) writeKubeconfig(name, token, namespace string) (string, error) {
	type object = map[string]any
	data, err := json.Marshal(object{
		"apiVersion": "v1", "kind": "Config", "current-context": "test",
		"clusters": []object{{"name": "test", "cluster": object{"server": c.URL, "certificate-authority-data": c.CA}}},
		"users":    []object{{"name": "test", "user": object{"token": token}}},
		"contexts": []object{{"name": "test", "context": object{"cluster": "test", "user": "test", "namespace": namespace}}},
	})
	if err != nil {
		return "", err
	}
	path := c.file(name + ".kubeconfig")
	return path, os.WriteFile(path, data, 0o600)
}
