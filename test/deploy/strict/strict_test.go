package strict

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/cloudbuild/apiv1/v2/cloudbuildpb"
	"cloud.google.com/go/monitoring/apiv3/v2/monitoringpb"
	"cloud.google.com/go/monitoring/dashboard/apiv1/dashboardpb"
	logging "google.golang.org/api/logging/v2"
	run "google.golang.org/api/run/v1"
)

const root = "../../.."

// rendered is what scripts/cloud makes of the checkout's files.
func rendered(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "run", "./scripts/cloud", "render", "--out="+dir)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("render: %v\n%s", err, out)
	}
	return dir
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func files(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("nothing is %s: %v", pattern, err)
	}
	return paths
}

// kinds are the files by folder, and how each is parsed and judged.
var kinds = map[string]func([]byte) error{
	"run":        service,
	"alerts":     alert,
	"dashboards": func(text []byte) error { return message(text, new(dashboardpb.Dashboard)) },
	"metrics":    func(text []byte) error { return object(text, new(logging.LogMetric)) },
}

func TestRenderedFilesAreGooglesTypes(t *testing.T) {
	dir := rendered(t)
	for folder, parse := range kinds {
		for _, path := range files(t, filepath.Join(dir, folder, "*.yaml")) {
			text := read(t, path)
			if err := parse(text); err != nil {
				t.Errorf("%s/%s: %v", folder, filepath.Base(path), err)
			}
			if bytes.Contains(text, []byte("<no value>")) {
				t.Errorf("%s/%s has a hole", folder, filepath.Base(path))
			}
		}
	}
	misspelt(t, dir)
}

// misspelt shows that a letter is enough to be refused.
func misspelt(t *testing.T, dir string) {
	t.Helper()
	for _, x := range []struct{ file, old, new string }{
		{"run/onceway-chat.yaml", "containerConcurrency", "containerConcurency"},
		{"run/onceway-chat.yaml", "timeoutSeconds", "timeoutSecond"},
		{"alerts/parked-claim.yaml", "COMPARISON_GT", "COMPARISON_GREATER"},
		{"alerts/parked-claim.yaml", "alignmentPeriod: 60s", "alignmentPeriod: 1m"},
		{"alerts/parked-claim.yaml", "combiner", "combinator"},
		{"dashboards/onceway.yaml", "xPos", "xpos"},
		{"dashboards/onceway.yaml", "plotType: LINE", "plotType: LINES"},
		{"metrics/deliveries.yaml", "labelExtractors", "labelsExtractors"},
	} {
		text := string(read(t, filepath.Join(dir, x.file)))
		bad := strings.Replace(text, x.old, x.new, 1)
		if bad == text {
			t.Errorf("%s has no %q", x.file, x.old)
		}
		if err := kinds[filepath.Dir(x.file)]([]byte(bad)); err == nil {
			t.Errorf("%s: %q for %q passes", x.file, x.new, x.old)
		}
	}
}

func service(text []byte) error {
	var s run.Service
	if err := object(text, &s); err != nil {
		return err
	}
	spec := s.Spec.Template.Spec
	notes := s.Spec.Template.Metadata.Annotations
	if spec.ContainerConcurrency < 1 || spec.TimeoutSeconds < 1 || spec.ServiceAccountName == "" {
		return fmt.Errorf("concurrency %d, time-out %d, account %q", spec.ContainerConcurrency, spec.TimeoutSeconds, spec.ServiceAccountName)
	}
	if notes["autoscaling.knative.dev/maxScale"] == "" || notes["run.googleapis.com/cpu-throttling"] == "" || s.Metadata.Annotations["run.googleapis.com/minScale"] == "" {
		return fmt.Errorf("instances or processor are left to defaults: %v", notes)
	}
	if !strings.Contains(spec.Containers[0].Image, "@sha256:") {
		return fmt.Errorf("image %s is not given by digest", spec.Containers[0].Image)
	}
	return nil
}

// maxConditions is what Monitoring takes in one policy.
const maxConditions = 6

func alert(text []byte) error {
	var p monitoringpb.AlertPolicy
	if err := message(text, &p); err != nil {
		return err
	}
	if n := len(p.Conditions); n == 0 || n > maxConditions {
		return fmt.Errorf("%d conditions", n)
	}
	if p.GetDocumentation().GetContent() == "" || p.UserLabels["onceway-file"] == "" {
		return fmt.Errorf("no documentation or no label")
	}
	return nil
}

func TestEveryAlertHasItsPlaybook(t *testing.T) {
	name := func(path, suffix string) string { return strings.TrimSuffix(filepath.Base(path), suffix) }
	var alerts, books []string
	for _, p := range files(t, root+"/infra/monitoring/alerts/*.yaml.tmpl") {
		alerts = append(alerts, name(p, ".yaml.tmpl"))
		if !bytes.Contains(read(t, p), []byte("infra/playbooks/"+name(p, ".yaml.tmpl")+".md")) {
			t.Errorf("%s does not name its playbook", p)
		}
	}
	for _, p := range files(t, root+"/infra/playbooks/*.md") {
		books = append(books, name(p, ".md"))
		if n := bytes.Count(read(t, p), []byte("\n")); n > 50 {
			t.Errorf("%s is longer than a page: %d lines", p, n)
		}
		for _, part := range []string{"**What it means.**", "**What to look at**", "**What to do**"} {
			if !bytes.Contains(read(t, p), []byte(part)) {
				t.Errorf("%s lacks %s", p, part)
			}
		}
	}
	if !slices.Equal(alerts, books) {
		t.Errorf("alerts %v, playbooks %v", alerts, books)
	}
}

var pinned = regexp.MustCompile(`^[a-z0-9./-]+(:[0-9]+\.[0-9]+\.[0-9]+[a-z0-9.-]*|@sha256:[0-9a-f]{64})$`)

func TestBuildIsGooglesType(t *testing.T) {
	text := read(t, root+"/cloudbuild.yaml")
	var b cloudbuildpb.Build
	if err := message(text, &b); err != nil {
		t.Fatal(err)
	}
	if b.ServiceAccount == "" || b.Timeout.AsDuration() == 0 || b.Options.GetLogging() != cloudbuildpb.BuildOptions_CLOUD_LOGGING_ONLY {
		t.Errorf("account %q, time-out %v, logging %v", b.ServiceAccount, b.Timeout.AsDuration(), b.Options.GetLogging())
	}
	for _, s := range b.Steps {
		if !pinned.MatchString(s.Name) || s.Timeout.AsDuration() == 0 {
			t.Errorf("step %s: image %s is not pinned, or no time-out", s.Id, s.Name)
		}
	}
	used := regexp.MustCompile(`\$\{(_[A-Z]+)\}`).FindAllSubmatch(text, -1)
	for _, u := range used {
		if _, ok := b.Substitutions[string(u[1])]; !ok {
			t.Errorf("substitution %s has no default", u[1])
		}
	}
	for name := range b.Substitutions {
		if !bytes.Contains(text, []byte("#   "+name)) {
			t.Errorf("substitution %s is not documented", name)
		}
	}
	for _, x := range []struct{ old, new string }{{"waitFor", "waitfor"}, {"CLOUD_LOGGING_ONLY", "CLOUD_LOGING_ONLY"}, {"timeout: 3600s", "timeout: 1h"}, {"timeout: 3600s", "timeout: 3600s\ntimeout: 1s"}} {
		if err := message(bytes.Replace(text, []byte(x.old), []byte(x.new), 1), new(cloudbuildpb.Build)); err == nil {
			t.Errorf("%q for %q passes", x.new, x.old)
		}
	}
}
