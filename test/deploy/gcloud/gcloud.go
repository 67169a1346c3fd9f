// Package gcloud runs the real gcloud in tests: kept loaded and forked for each
// command, without credentials, against a server of the test's own.
package gcloud

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

//go:embed zygote.py
var zygote []byte

//go:embed shim.py
var shim []byte

// loading is what gcloud may take to load on a busy machine.
const loading = 2 * time.Minute

// Loaded is a gcloud that is kept loaded. Bin holds a program "gcloud" that uses it.
type Loaded struct {
	Bin  string
	Root string // of the SDK

	dir string
	cmd *exec.Cmd
	out bytes.Buffer
}

// Load loads gcloud. Close it.
func Load(ctx context.Context) (*Loaded, error) {
	info, err := exec.CommandContext(ctx, "gcloud", "info", "--format=value(installation.sdk_root,basic.python_location)").Output()
	if err != nil {
		return nil, fmt.Errorf("find gcloud: %w", err)
	}
	root, python, ok := strings.Cut(strings.TrimSpace(string(info)), "\t")
	if !ok {
		return nil, fmt.Errorf("find gcloud: it said %q", info)
	}
	dir, err := os.MkdirTemp("", "onceway-gcloud-")
	if err != nil {
		return nil, fmt.Errorf("load gcloud: %w", err)
	}
	l := &Loaded{Bin: filepath.Join(dir, "bin"), Root: root, dir: dir}
	if err := l.start(ctx, python); err != nil {
		return nil, errors.Join(fmt.Errorf("load gcloud: %w: %s", err, &l.out), l.Close())
	}
	return l, nil
}

func (l *Loaded) start(ctx context.Context, python string) error {
	socket := filepath.Join(l.dir, "socket")
	door := fmt.Sprintf("#!/bin/sh\nexec %s -SE %s/shim.py %s \"$@\"\n", python, l.dir, socket)
	for name, content := range map[string][]byte{"zygote.py": zygote, "shim.py": shim, "bin/gcloud": []byte(door)} {
		path := filepath.Join(l.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o700); err != nil {
			return err
		}
	}
	l.cmd = exec.Command(python, filepath.Join(l.dir, "zygote.py"), l.Root, socket) // Close ends it
	l.cmd.Env = append(os.Environ(), "CLOUDSDK_PYTHON_SITEPACKAGES=1")
	l.cmd.Stdout, l.cmd.Stderr = &l.out, &l.out
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := l.cmd.Start(); err != nil {
		return err
	}
	return l.await(ctx, socket)
}

func (l *Loaded) await(ctx context.Context, socket string) error {
	ctx, cancel := context.WithTimeout(ctx, loading)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(socket); err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Close ends it and what it started.
func (l *Loaded) Close() error {
	if l.cmd != nil && l.cmd.Process != nil {
		_ = syscall.Kill(-l.cmd.Process.Pid, syscall.SIGKILL) // an error means that it is gone
		_ = l.cmd.Wait()                                      // it was killed
	}
	return os.RemoveAll(l.dir)
}

// apis are those that provision and deploy call; each is sent to the test's server.
var apis = []string{
	"artifactregistry", "cloudbuild", "cloudresourcemanager", "cloudscheduler", "firestore", "iam", "iap",
	"logging", "monitoring", "pubsub", "serviceusage", "storage", "run",
}

// Env is an environment in which gcloud and whatever runs it call the server at url,
// without credentials. Cloud Run puts a region before the host, which a name of a test
// can't have: so the server is the proxy of all.
func (l *Loaded) Env(url, config string) []string {
	addr := strings.TrimPrefix(url, "http://")
	host, port, _ := net.SplitHostPort(addr)
	env := []string{
		"PATH=" + l.Bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"),
		"CLOUDSDK_CONFIG=" + config, "CLOUDSDK_AUTH_DISABLE_CREDENTIALS=true", "CLOUDSDK_CORE_DISABLE_PROMPTS=1",
		"CLOUDSDK_CORE_PROJECT=demo-project", "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING=true",
		"CLOUDSDK_PYTHON_SITEPACKAGES=1", "CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK=true",
		"CLOUDSDK_PROXY_TYPE=http_no_tunnel", "CLOUDSDK_PROXY_ADDRESS=" + host, "CLOUDSDK_PROXY_PORT=" + port,
		"CLOUDSDK_CORE_LOG_HTTP_REDACT_TOKEN=false", "HTTP_PROXY=" + url, "http_proxy=" + url,
	}
	for _, api := range apis {
		path := ""
		if api == "storage" {
			path = "storage/v1/"
		}
		env = append(env, fmt.Sprintf("CLOUDSDK_API_ENDPOINT_OVERRIDES_%s=http://google.test/%s", strings.ToUpper(api), path))
	}
	return env
}

// Run runs a command in an environment of Env and answers with its output.
func (l *Loaded) Run(ctx context.Context, env []string, errw io.Writer, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(l.Bin, "gcloud"), args...)
	cmd.Env, cmd.Stderr = env, errw
	return cmd.Output()
}
