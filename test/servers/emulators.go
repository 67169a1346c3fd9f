package servers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

const gcloudMissing = "install the Google Cloud CLI with its emulators: " +
	"apt-get install google-cloud-cli google-cloud-cli-firestore-emulator google-cloud-cli-pubsub-emulator"

// StartFirestore starts Google's Firestore emulator. Clients find it by
// FIRESTORE_EMULATOR_HOST, or dial Addr without TLS.
func StartFirestore(ctx context.Context) (*Server, error) {
	jar, err := emulatorFile(ctx, "cloud-firestore-emulator/cloud-firestore-emulator.jar")
	if err != nil {
		return nil, fmt.Errorf("start Firestore emulator: %w", err)
	}
	return start(ctx, spec{
		name: "Firestore emulator",
		stop: syscall.SIGTERM,
		cmd: func(port string) *exec.Cmd {
			return exec.Command("java", "-cp", jar,
				"com.google.cloud.datastore.emulator.firestore.CloudFirestore", "--host=127.0.0.1", "--port="+port)
		},
		ready: answersHTTP,
	})
}

// StartPubSub starts Google's Pub/Sub emulator. Clients find it by
// PUBSUB_EMULATOR_HOST, or dial Addr without TLS.
func StartPubSub(ctx context.Context) (*Server, error) {
	bin, err := emulatorFile(ctx, "pubsub-emulator/bin/cloud-pubsub-emulator")
	if err != nil {
		return nil, fmt.Errorf("start Pub/Sub emulator: %w", err)
	}
	return start(ctx, spec{
		name:  "Pub/Sub emulator",
		stop:  syscall.SIGTERM,
		cmd:   func(port string) *exec.Cmd { return exec.Command(bin, "--host=127.0.0.1", "--port="+port) },
		ready: answersHTTP,
	})
}

// emulatorFile finds a file of the SDK's platform directory.
func emulatorFile(ctx context.Context, name string) (string, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return "", errors.New("java is missing: apt-get install default-jre-headless")
	}
	root, err := sdkRoot(ctx)
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "platform", name)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is missing: %s", path, gcloudMissing)
	}
	return path, nil
}

// sdkRoot is the directory that gcloud is installed in: where its link leads, or, if
// that is a script of somebody else's, what it says, which takes it a second.
func sdkRoot(ctx context.Context) (string, error) {
	path, err := exec.LookPath("gcloud")
	if err != nil {
		return "", fmt.Errorf("gcloud is missing: %s", gcloudMissing)
	}
	if path, err = filepath.EvalSymlinks(path); err == nil {
		root := filepath.Dir(filepath.Dir(path))
		if _, err := os.Stat(filepath.Join(root, "platform")); err == nil {
			return root, nil
		}
	}
	out, err := exec.CommandContext(ctx, "gcloud", "info", "--format=value(installation.sdk_root)").Output()
	if err != nil {
		return "", fmt.Errorf("ask gcloud for its SDK root: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// answersHTTP is how both emulators say that they serve: 200 on their root.
func answersHTTP(ctx context.Context, addr string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/", nil)
	if err != nil {
		return err
	}
	req.Close = true // leave no idle connection behind
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("it answered %s", res.Status)
	}
	return nil
}
