//go:build controlplane

package controlplane

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"onceway.internal/test/controlplane/cluster"
)

// minimal is the file of values that every other one is put upon.
const minimal = "testdata/minimal.yaml"

// variants are files of values that together render every template.
var variants = []string{minimal, "testdata/adapter.yaml", "testdata/keda.yaml", "testdata/memory.yaml"}

// render is helm template with the minimal values and then args.
func render(ctx context.Context, namespace string, args ...string) (string, error) {
	return helm(ctx, append([]string{"template", "--kube-version=1.36", "--namespace=" + namespace}, args...)...)
}

// helm runs a command of helm's on the chart, as release orders, with the minimal values
// and what args say after them. The error has what helm said.
func helm(ctx context.Context, args ...string) (string, error) {
	tool, err := cluster.Tool("helm", "scripts/tools/helm", "helm.sh/helm/v3")
	if err != nil {
		return "", err
	}
	root, err := cluster.Root()
	if err != nil {
		return "", err
	}
	chart := []string{args[0], "orders", filepath.Join(root, "infra/helm/onceway-worker"), "--values=" + minimal}
	cmd := exec.CommandContext(ctx, tool, append(chart, args[1:]...)...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("helm %s: %w: %s", args[0], err, said.String())
	}
	return string(out), nil
}

func mustRender(t *testing.T, namespace string, args ...string) string {
	t.Helper()
	out, err := render(t.Context(), namespace, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestChartIsStrictlyValid: the API server takes everything that the chart renders,
// and kubeconform finds no field that doesn't exist.
func TestChartIsStrictlyValid(t *testing.T) {
	c := cluster.Start(t)
	for _, namespace := range []string{"acme", "payments"} {
		c.Kubectl(t, "create", "namespace", namespace)
	}
	// not a flag: that would refuse what names a namespace of its own
	c.Kubectl(t, "config", "set-context", "--current", "--namespace=acme")
	crds := customResources(t)
	c.Apply(t, "default", crds)
	c.Kubectl(t, "wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
	schemas := kubeSchemas(t, crds)
	for _, values := range variants {
		t.Run(filepath.Base(values), func(t *testing.T) {
			manifests := mustRender(t, "acme", "--values="+values)
			out, err := c.Try(t.Context(), manifests, "apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-")
			if err != nil {
				t.Error(err)
			}
			t.Logf("the API server took:\n%s", out)
			kubeconform(t, schemas, manifests)
		})
	}
	t.Run("installed, then changed", func(t *testing.T) {
		for _, values := range variants {
			notes, err := helm(t.Context(), "upgrade", "--install", "--kubeconfig="+c.Kubeconfig, "--namespace=acme", "--values="+values)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s:\n%s", values, notes)
		}
	})
	t.Run("a misspelt field is refused by both", func(t *testing.T) {
		bad := strings.Replace(mustRender(t, "acme"), "terminationGracePeriodSeconds:", "terminationGraceSeconds:", 1)
		if _, err := c.Try(t.Context(), bad, "apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-"); err == nil {
			t.Error("the API server took it")
		}
		if _, err := runKubeconform(t, schemas, bad); err == nil {
			t.Error("kubeconform took it")
		}
	})
}

func kubeconform(t *testing.T, schemas, manifests string) {
	t.Helper()
	out, err := runKubeconform(t, schemas, manifests)
	if err != nil {
		t.Errorf("kubeconform: %v: %s", err, out)
	}
	t.Logf("kubeconform: %s", out)
}

func runKubeconform(t *testing.T, schemas, manifests string) (string, error) {
	t.Helper()
	tool, err := cluster.Tool("kubeconform", "scripts/tools/kubeconform", "github.com/yannh/kubeconform")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), tool, "-strict", "-summary", "-schema-location",
		filepath.Join(schemas, "{{.ResourceKind}}-{{.Group}}-{{.ResourceAPIVersion}}.json"), "-")
	cmd.Stdin = strings.NewReader(manifests)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// customResources are the definitions of KEDA and of Google's managed Prometheus, out
// of the modules that hold them.
func customResources(t *testing.T) string {
	t.Helper()
	var all []string
	for module, files := range map[string][]string{
		"github.com/kedacore/keda/v2@v2.21.0": {
			"config/crd/bases/keda.sh_scaledobjects.yaml", "config/crd/bases/keda.sh_triggerauthentications.yaml",
		},
		"github.com/GoogleCloudPlatform/prometheus-engine@v0.17.2": {
			"charts/operator/crds/monitoring.googleapis.com_podmonitorings.yaml",
		},
	} {
		dir := moduleDir(t, module)
		for _, name := range files {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(data))
		}
	}
	return strings.Join(all, "\n---\n")
}
