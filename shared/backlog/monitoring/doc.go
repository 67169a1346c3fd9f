// Package monitoring reads backlogs from Cloud Monitoring and writes onceway's
// own gauges back.
//
// A Reader makes one ListTimeSeries call for each project, metric and hundred
// subscriptions (and page): the raw points of the last minutes, of which the
// newest count. Aggregation by the service is left out on purpose: aligning a
// gauge by delta shows zero under a full backlog.
//
// Chosen here: the two gauges and the acknowledgements are read side by side,
// but only the undelivered messages make a sample; without the others it comes
// with an unknown age or flow. Series of one subscription (ways of delivery) are
// summed where their points end together. The project is in the filter, as a
// project may see others' series through its metrics scope.
//
// A Writer answers for group_score, sample_age and expected_backlog under
// custom.googleapis.com/onceway. A point that is not newer than its series' last
// is success: another run was faster. Two points can't be told apart by more
// than a code, so every series that is refused alone counts as that, is counted,
// and its number shown; a request refused as a whole is an error.
package monitoring
