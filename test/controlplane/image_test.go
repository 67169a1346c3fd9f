//go:build controlplane

package controlplane

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"onceway.internal/test/controlplane/cluster"
	"onceway.internal/test/servers"
	"onceway.internal/test/wait"
)

// TestImageRunsWithoutRootOnAReadOnlyRoot: infra/Dockerfile builds, and its worker works
// as the user that the image names with a root that nobody can write to.
func TestImageRunsWithoutRootOnAReadOnlyRoot(t *testing.T) {
	im := buildImage(t)
	if im.user.UID == 0 || im.user.GID == 0 {
		t.Fatalf("the image runs as %d:%d", im.user.UID, im.user.GID)
	}
	for _, name := range []string{"functions", "worker", "infra/groups.yaml", "infra/policy.yaml"} {
		if _, err := os.Stat(filepath.Join(im.root, name)); err != nil {
			t.Errorf("the image lacks %s: %v", name, err)
		}
	}
	service := newWitness(t, 0)
	topic := newQueue(t, "image-orders", "image-orders-relay")
	addr := im.start(t, "/worker",
		"GOOGLE_CLOUD_PROJECT="+project, "ONCEWAY_SUBSCRIPTIONS=Relay=image-orders-relay", "ONCEWAY_PREFIX=image-",
		"ONCEWAY_RELAY_URL="+service.URL, "ONCEWAY_RELAY_PRIVATE=true",
		"PUBSUB_EMULATOR_HOST="+servers.PubSub(t), "FIRESTORE_EMULATOR_HOST="+servers.Firestore(t))
	wait.Until(t, time.Minute, "the image's worker ready", func() bool { return answers(t, addr+"/readyz") })
	publishOne(t, topic)
	wait.Until(t, 2*time.Minute, "the image's worker acting", func() bool { _, acts := service.count(); return acts == 1 })
}

// image is an image on disk.
type image struct {
	root string // its file system
	user struct{ UID, GID int }
}

// buildImage builds infra/Dockerfile without a registry: its builder is a shell with
// this machine's Go, its base is empty, which has less than the real one.
func buildImage(t *testing.T) image {
	t.Helper()
	root, err := cluster.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	buildah := func(args ...string) string {
		t.Helper()
		store := []string{"--storage-driver=vfs", "--root=" + filepath.Join(dir, "store"), "--runroot=" + filepath.Join(dir, "run")}
		return run(t, root, "buildah", append(store, args...)...)
	}
	t.Cleanup(func() { buildah("rmi", "--all", "--force") })
	goBuilder(t, filepath.Join(dir, "builder"))
	buildah("bud", "--isolation=chroot", "--tag=builder", filepath.Join(dir, "builder"))
	buildah("bud", "--isolation=chroot", "--tag=onceway", "--file=infra/Dockerfile",
		"--build-arg=GO_IMAGE=localhost/builder", "--build-arg=BASE_IMAGE=scratch",
		"--volume="+goEnv(t, "GOROOT")+":/usr/local/go:ro", "--volume="+goEnv(t, "GOMODCACHE")+":/go/pkg/mod",
		"--volume="+goEnv(t, "GOCACHE")+":/cache", "--volume=/etc/ssl/certs:/etc/ssl/certs:ro", ".")
	buildah("push", "localhost/onceway", "oci:"+filepath.Join(dir, "oci")+":test")
	run(t, root, "umoci", "unpack", "--image="+filepath.Join(dir, "oci")+":test", filepath.Join(dir, "bundle"))
	var config struct {
		Process struct {
			User struct{ UID, GID int }
			Args []string
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "bundle", "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &config); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(config.Process.Args, []string{"/functions"}) {
		t.Errorf("the image starts %v", config.Process.Args)
	}
	return image{root: filepath.Join(dir, "bundle", "rootfs"), user: config.Process.User}
}

// goBuilder writes what stands in for the Go image.
func goBuilder(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "cp", "/bin/busybox", "sh")
	dockerfile := "FROM scratch\nCOPY sh /bin/sh\nENV PATH=/usr/local/go/bin:/bin GOPATH=/go GOCACHE=/cache GOTOOLCHAIN=local GOTMPDIR=/src\n"
	if err := os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte(dockerfile), 0o600); err != nil {
		t.Fatal(err)
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(run(t, ".", "go", "env", name))
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...) // also from Cleanup, when the test's context has ended
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// start runs a program of the image as the image's user, in a mount namespace where its
// root is read-only, and answers with the URL that it serves at.
func (im image) start(t *testing.T, program string, env ...string) string {
	t.Helper()
	addr := freeAddr(t)
	script := fmt.Sprintf(`mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec chroot --userspec=%d:%d "$0" %s`, im.user.UID, im.user.GID, program)
	cmd := exec.Command("unshare", "--mount", "--propagation=private", "sh", "-c", script, im.root)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "ONCEWAY_WORKER_ADDRESS=" + addr}, env...)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Errorf("interrupt %s: %v", program, err)
		}
		err := cmd.Wait()
		if err != nil {
			t.Errorf("%s ended with %v", program, err)
		}
		if t.Failed() {
			t.Logf("%s said:\n%s", program, said.String())
		}
	})
	wait.Until(t, time.Minute, program+" alive", func() bool { return answers(t, addr2url(addr)+"/healthz") })
	im.confined(t, cmd.Process.Pid)
	return addr2url(addr)
}

// confined asks the kernel, not the image.
func (im image) confined(t *testing.T, pid int) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Fatal("the image is for Linux")
	}
	proc := fmt.Sprintf("/proc/%d/", pid)
	status, err := os.ReadFile(proc + "status")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("Uid:\t%[1]d\t%[1]d\t%[1]d\t%[1]d\n", im.user.UID); !strings.Contains(string(status), want) {
		t.Errorf("the process is not of user %d:\n%s", im.user.UID, status)
	}
	mounts, err := os.ReadFile(proc + "mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); len(f) > 5 && f[4] == "/" && slices.Contains(strings.Split(f[5], ","), "ro") {
			t.Logf("user %d, root %s", im.user.UID, f[5])
			return
		}
	}
	t.Errorf("the root of the process is not read-only:\n%s", mounts)
}
