// Package external serves external.metrics.k8s.io to a test cluster's autoscalers, in
// the place of the Stackdriver adapter or KEDA: an aggregated API server of one
// resource, whose values come live from a function.
package external
