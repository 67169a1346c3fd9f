// Package score is the function Score: Cloud Scheduler calls it each minute, and
// it turns backlogs into what routing works with.
//
// A run reads the routing state once and the backlog of every queue; makes of
// both each queue's figure (the newest sample, its data state, its learned rate);
// writes the figures, one recommendation for each queue name, and the minute's
// history; and writes the gauges group_score, sample_age and expected_backlog
// back to Cloud Monitoring.
//
// Runs may overlap, repeat and come late: the state never replaces a newer sample
// or recommendation, history keeps one entry a minute, and a gauge point that is
// not newer is not written. No run remembers anything for the next.
//
// What fails costs only itself. A queue whose figure can't be read, because its
// project refuses or a quota is spent, keeps the last one, which then grows old:
// its data state says so. Without its gauges a run still counts.
//
// Chosen here: the answer is 200 with the errors listed, also when one project
// failed. It is 503 only when the state could not be read, when no queue at all
// could be read because of errors, or when nothing could be written, so that a
// failing job shows in Cloud Scheduler and its retries mean something. Errors are
// listed by project, part and code; the service's own words go to the log alone.
// A group that never had a series gets no group_score: a zero would be a claim.
package score
