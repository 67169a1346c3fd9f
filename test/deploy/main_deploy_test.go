//go:build deploy

package deploy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/test/deploy/gcloud"
	"onceway.internal/test/deploy/standin"
	"onceway.internal/test/servers"
)

const (
	project = "demo-project"
	number  = "123456789012"
	region  = "europe-west1"
	root    = "../.."
)

var update = flag.Bool("update", false, "write the golden files")

// bin holds the programs under test, built once.
var bin string

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "onceway-deploy-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	bin = dir
	build := exec.Command("go", "build", "-o", dir+"/", "./scripts/cloud", "./scripts/ctl")
	build.Dir, build.Stderr = root, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build programs:", err)
		os.Exit(1)
	}
	defer os.RemoveAll(dir)
	servers.Main(m)
}

// world is one project that begins empty, with Google's emulator behind Pub/Sub.
type world struct {
	t      *testing.T
	cloud  *standin.Server
	gcloud *gcloud.Loaded
	env    []string
	log    string   // commands that were run
	fixes  []string // commands that doctor gave
}

func newWorld(t *testing.T) *world {
	t.Helper()
	emulator, err := servers.StartPubSub(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, cloud: standin.New(project, number, emulator.Addr)}
	w.cloud.Probe = sound
	t.Cleanup(func() {
		w.cloud.Close()
		if err := emulator.Stop(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// withGcloud loads gcloud for the world.
func (w *world) withGcloud() *world {
	w.t.Helper()
	var err error
	if w.gcloud, err = gcloud.Load(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := w.gcloud.Close(); err != nil {
			w.t.Error(err)
		}
	})
	dir := w.t.TempDir()
	w.log = filepath.Join(dir, "commands")
	w.env = append(w.gcloud.Env(w.cloud.HTTP.URL, dir), "ONCEWAY_GCLOUD_LOG="+w.log)
	return w
}

// provisioned is a world in which everything stands: the requests of the golden files
// were sent, which TestProvision shows to be gcloud's.
func provisioned(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	for _, name := range []string{"provision", "release-first", "provision-after-release"} {
		w.replay(name)
	}
	w.cloud.Forget()
	return w
}

// replay sends a golden file's requests, topics first: subscriptions need them.
func (w *world) replay(name string) {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "golden", name+".jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	var first, then []standin.Change
	for line := range strings.Lines(string(text)) {
		var c standin.Change
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			w.t.Fatal(err)
		}
		if strings.Contains(c.Path, "/topics/") {
			first = append(first, c)
		} else {
			then = append(then, c)
		}
	}
	for _, c := range append(first, then...) {
		body, err := json.Marshal(c.Body)
		if err != nil {
			w.t.Fatal(err)
		}
		w.send(c.Method, c.Path, body)
	}
}

// run runs a program in the checkout and answers with its output and exit status.
func (w *world) run(env []string, program string, args ...string) (stdout, stderr string, code int) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), filepath.Join(bin, program), args...)
	cmd.Dir, cmd.Env = root, env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// do runs scripts/cloud, which has to end with code.
func (w *world) do(code int, args ...string) string {
	w.t.Helper()
	args = append([]string{"--jobs=2", "--groups=test/deploy/testdata/groups.yaml"}, args...)
	out, errs, got := w.run(w.env, "cloud", args...)
	if got != code {
		w.t.Fatalf("cloud %s: exit %d, want %d\n%s%s", strings.Join(args, " "), got, code, out, errs)
	}
	return out + errs
}

// golden compares what was sent since the last time with a file.
func (w *world) golden(name string) {
	w.t.Helper()
	var b bytes.Buffer
	for _, c := range w.cloud.Changes() {
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(c); err != nil {
			w.t.Fatal(err)
		}
	}
	w.cloud.Forget()
	compare(w.t, name+".jsonl", b.String())
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(uncounted(string(want)), "\n"), strings.Split(uncounted(got), "\n")); diff != "" {
		t.Errorf("requests differ from %s (-want +got):\n%s", path, diff)
	}
}

var counters = regexp.MustCompile(`"(generation|observedGeneration|resourceVersion)":("?)[0-9]+`)

// uncounted hides the cloud's own counters, which gcloud sends back as it got them: they
// tell how many requests came before, also those that two commands sent side by side.
func uncounted(requests string) string {
	return counters.ReplaceAllString(requests, `"$1":${2}0`)
}

// silent fails if anything was changed.
func (w *world) silent(what string) {
	w.t.Helper()
	for _, c := range w.cloud.Changes() {
		w.t.Errorf("%s sent %s %s", what, c.Method, c.Path)
	}
}
