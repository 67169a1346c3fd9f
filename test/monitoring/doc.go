// Package monitoring stands in for Cloud Monitoring, which has no emulator: it
// serves google.monitoring.v3.MetricService over real gRPC on loopback, so that
// the real client library and everything above it runs unchanged.
//
// It behaves as the service does where callers can trip over it. The figures of
// a subscription are sampled once a period and become visible only after a lag;
// a subscription without a message so far has no series at all; a filter names
// exactly one metric type and at most 100 names in a one_of; pages count points;
// a written point that is not newer than the last of its series is refused for
// that series alone, with the summary of what was written in the error's
// details. Calls are counted, and faults and gaps can be put in.
//
// Chosen here: filters are conjunctions (no OR, NOT or parentheses) and
// aggregation is refused as unimplemented, so a caller who needs more finds out
// at once instead of getting other figures than the service would give.
package monitoring
