package cluster

import (
	"errors"
	"os/exec"
)

type binaries struct{ etcd, apiserver, controllers string }

func findBinaries() (b binaries, err error) {
	if b.etcd, err = exec.LookPath("etcd"); err != nil {
		return b, errors.New("etcd is missing: apt-get install etcd-server")
	}
	const dir, module = "test/controlplane/binaries", "k8s.io/kubernetes"
	if b.apiserver, err = Tool("kube-apiserver", dir, module); err != nil {
		return b, err
	}
	b.controllers, err = Tool("kube-controller-manager", dir, module)
	return b, err
}
