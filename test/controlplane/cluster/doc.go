// Package cluster starts a real Kubernetes control plane for tests: etcd,
// kube-apiserver and kube-controller-manager on free ports of 127.0.0.1, with
// certificates of their own. There is no scheduler and no kubelet: package kubelet
// stands in for both where pods have to run.
//
//	c := cluster.Start(t)
//	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
//
// A start takes about five seconds and 430 MB, so a test binary shares one cluster
// and its tests keep apart by namespaces. Everything is killed at the end of the
// test: on SIGTERM an API server goes on listening for minutes.
//
// The two Kubernetes binaries are built once for each version by
// scripts/suites/control-plane, outside the checkout; without them Start fails
// and says so. Tests that use it carry the build tag controlplane.
package cluster
