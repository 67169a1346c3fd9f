//go:build controlplane

package controlplane

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"onceway.internal/test/controlplane/cluster"
)

type object = map[string]any

// moduleDir is where a module's files are, module@version.
func moduleDir(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module).Output()
	if err != nil {
		t.Fatalf("download %s: %v: %s", module, err, out)
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatal(err)
	}
	return m.Dir
}

// kubeSchemas writes JSON schemas of every kind that the cluster's version of Kubernetes
// and those definitions have, and answers with their directory.
func kubeSchemas(t *testing.T, definitions string) string {
	t.Helper()
	root, err := cluster.Root()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes")
	cmd.Dir = filepath.Join(root, "test/controlplane/binaries")
	dir, err := cmd.Output()
	if err != nil {
		t.Fatalf("find k8s.io/kubernetes: %v", err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "api/openapi-spec/swagger.json"))
	if err != nil {
		t.Fatal(err)
	}
	var swagger struct{ Definitions map[string]object }
	if err := json.Unmarshal(data, &swagger); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	for name, definition := range swagger.Definitions {
		kinds, _ := definition["x-kubernetes-group-version-kind"].([]any)
		if len(kinds) != 1 {
			continue // no kind, or one such as DeleteOptions that every group has
		}
		kind := kinds[0].(object)
		schema := inline(swagger.Definitions, definition, []string{name}).(object)
		write(t, out, kind["group"].(string), kind["version"].(string), kind["kind"].(string), schema)
	}
	writeCustom(t, out, definitions)
	return out
}

func write(t *testing.T, dir, group, version, kind string, schema object) {
	t.Helper()
	data, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	if group == "" {
		group = version // as kubeconform has it for the core kinds
	}
	path := filepath.Join(dir, fmt.Sprintf("%s-%s-%s.json", strings.ToLower(kind), group, version))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeCustom writes the schemas of CustomResourceDefinitions.
func writeCustom(t *testing.T, dir, definitions string) {
	t.Helper()
	for document := range strings.SplitSeq(definitions, "\n---\n") {
		var crd struct {
			Spec struct {
				Group    string
				Names    struct{ Kind string }
				Versions []struct {
					Name   string
					Schema struct {
						OpenAPIV3Schema object `yaml:"openAPIV3Schema"`
					}
				}
			}
		}
		if err := yaml.Unmarshal([]byte(document), &crd); err != nil {
			t.Fatal(err)
		}
		for _, v := range crd.Spec.Versions {
			schema := inline(nil, v.Schema.OpenAPIV3Schema, nil).(object)
			schema["properties"].(object)["metadata"] = object{"type": "object"}
			write(t, dir, crd.Spec.Group, v.Name, crd.Spec.Names.Kind, schema)
		}
	}
}

// inline puts definitions where they are referred to, and closes objects: a field that
// is not listed is a fault. path is what is being put in, which ends cycles.
func inline(definitions map[string]object, node any, path []string) any {
	switch n := node.(type) {
	case []any:
		out := make([]any, len(n))
		for i, v := range n {
			out[i] = inline(definitions, v, path)
		}
		return out
	case object:
		if ref, ok := n["$ref"].(string); ok {
			return refer(definitions, strings.TrimPrefix(ref, "#/definitions/"), path)
		}
		return closed(definitions, n, path)
	}
	return node
}

func refer(definitions map[string]object, name string, path []string) any {
	switch {
	case strings.HasSuffix(name, ".intstr.IntOrString"):
		return object{"type": []string{"string", "integer"}}
	case strings.HasSuffix(name, ".resource.Quantity"):
		return object{"type": []string{"string", "number"}}
	case strings.HasSuffix(name, ".JSON"), strings.HasSuffix(name, ".JSONSchemaProps"), strings.HasSuffix(name, ".RawExtension"):
		return object{}
	}
	for _, p := range path {
		if p == name {
			return object{}
		}
	}
	return inline(definitions, definitions[name], append(path[:len(path):len(path)], name))
}

func closed(definitions map[string]object, n object, path []string) object {
	out := make(object, len(n))
	for k, v := range n {
		if k != "description" && !strings.HasPrefix(k, "x-kubernetes-") {
			out[k] = inline(definitions, v, path)
		}
	}
	if n["x-kubernetes-int-or-string"] == true {
		delete(out, "anyOf")
		out["type"] = []string{"string", "integer"}
	}
	_, open := out["additionalProperties"]
	_, listed := out["properties"]
	if out["type"] == "object" && listed && !open && n["x-kubernetes-preserve-unknown-fields"] != true {
		out["additionalProperties"] = false
	}
	return out
}
