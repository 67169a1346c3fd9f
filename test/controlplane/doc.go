// Package controlplane proves infra/helm/onceway-worker and infra/Dockerfile against
// real parts: the chart against a Kubernetes control plane, its autoscaler with real
// worker processes on Google's emulators, and the image by building and running it.
// The tests carry the build tag controlplane; scripts/test control-plane runs them.
package controlplane
