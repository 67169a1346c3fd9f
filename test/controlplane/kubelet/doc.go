// Package kubelet stands in for the scheduler and the kubelets of a test cluster: it
// binds pods, runs for each container's command the program that a test names for it,
// as a process of this machine, probes its readiness over HTTP, and ends it as Kubernetes
// does: SIGTERM, the pod's grace period, SIGKILL. So N replicas are N real processes.
//
// What it leaves out, since no test needs it: images, volumes, liveness probes, limits,
// restarts in place (a process that ends by itself makes its pod Failed, and whatever
// owns the pod replaces it), and pods of more than one container.
package kubelet
