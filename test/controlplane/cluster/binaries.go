package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
)

type binaries struct{ etcd, apiserver, controllers string }

var kubernetesVersion = regexp.MustCompile(`(?m)^\s*k8s\.io/kubernetes (v\S+)`)

// findBinaries looks where scripts/suites/control-plane puts what it builds: the
// cache directory, by version and compiler.
func findBinaries() (binaries, error) {
	etcd, err := exec.LookPath("etcd")
	if err != nil {
		return binaries{}, errors.New("etcd is missing: apt-get install etcd-server")
	}
	version, err := pinned()
	if err != nil {
		return binaries{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return binaries{}, err
	}
	path := func(name string) string {
		return filepath.Join(cache, "onceway", "bin", name+"-"+version+"-"+runtime.Version())
	}
	b := binaries{etcd: etcd, apiserver: path("kube-apiserver"), controllers: path("kube-controller-manager")}
	for _, p := range []string{b.apiserver, b.controllers} {
		if _, err := os.Stat(p); err != nil {
			return b, fmt.Errorf("%s is missing: run scripts/test control-plane, which builds it once", filepath.Base(p))
		}
	}
	return b, nil
}

// pinned is the Kubernetes version of the module that pins it.
func pinned() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		data, err := os.ReadFile(filepath.Join(dir, "test", "controlplane", "binaries", "go.mod"))
		if m := kubernetesVersion.FindSubmatch(data); err == nil && m != nil {
			return string(m[1]), nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("find test/controlplane/binaries/go.mod: not within a checkout")
		}
		dir = parent
	}
}
