package cluster

import (
	"os/exec"
	"strings"
)

// controllers are those that the tests need; the others would only cost time.
var controllers = []string{
	"namespace-controller", "serviceaccount-controller", "garbage-collector-controller",
	"deployment-controller", "replicaset-controller", "disruption-controller",
	"horizontal-pod-autoscaler-controller", "cronjob-controller", "job-controller",
}

// etcd keeps nothing through a crash and has no peers.
func (c *Cluster) etcd(binary string) func(string) *exec.Cmd {
	return func(port string) *exec.Cmd {
		url := "http://127.0.0.1:" + port
		cmd := exec.Command(binary, "--name=test", "--data-dir="+c.file("etcd"), "--unsafe-no-fsync",
			"--listen-client-urls="+url, "--advertise-client-urls="+url, "--listen-peer-urls=http://127.0.0.1:0")
		cmd.Dir = c.dir
		return cmd
	}
}

func (c *Cluster) apiserver(binary, etcd string) func(string) *exec.Cmd {
	return func(port string) *exec.Cmd {
		cmd := exec.Command(binary,
			"--etcd-servers=http://"+etcd,
			"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port="+port,
			"--endpoint-reconciler-type=none",
			"--cert-dir="+c.dir,
			"--tls-cert-file="+c.file("apiserver.crt"), "--tls-private-key-file="+c.file("apiserver.key"),
			"--client-ca-file="+c.file("ca.crt"), "--token-auth-file="+c.file("tokens.csv"),
			"--authorization-mode=RBAC",
			"--service-cluster-ip-range=10.0.0.0/24",
			"--service-account-issuer=https://kubernetes.default.svc",
			"--service-account-key-file="+c.file("accounts.key"), "--service-account-signing-key-file="+c.file("accounts.key"),
			// what aggregated servers are told about who asks
			"--requestheader-client-ca-file="+c.file("ca.crt"), "--requestheader-allowed-names="+frontProxy,
			"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
			"--requestheader-extra-headers-prefix=X-Remote-Extra-",
			"--proxy-client-cert-file="+c.file("front-proxy.crt"), "--proxy-client-key-file="+c.file("front-proxy.key"),
		)
		cmd.Dir = c.dir
		return cmd
	}
}

// controllers is the controller manager. It looks at autoscalers every second
// instead of every 15, so that tests don't wait.
func (c *Cluster) controllers(binary string) func(string) *exec.Cmd {
	return func(port string) *exec.Cmd {
		cmd := exec.Command(binary,
			"--kubeconfig="+c.Kubeconfig, "--authentication-kubeconfig="+c.Kubeconfig, "--authorization-kubeconfig="+c.Kubeconfig,
			"--bind-address=127.0.0.1", "--secure-port="+port, "--cert-dir="+c.dir,
			"--tls-cert-file="+c.file("apiserver.crt"), "--tls-private-key-file="+c.file("apiserver.key"),
			"--leader-elect=false", "--root-ca-file="+c.file("ca.crt"),
			"--controllers="+strings.Join(controllers, ","),
			"--horizontal-pod-autoscaler-sync-period=1s",
		)
		cmd.Dir = c.dir
		return cmd
	}
}
