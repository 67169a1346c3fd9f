package monitoring

import "time"

// Metric names one of onceway's own gauges.
type Metric string

// The gauges, under custom.googleapis.com/onceway.
const (
	GroupScore      Metric = "group_score"      // seconds in mode drain, messages otherwise; labels: group
	SampleAge       Metric = "sample_age"       // seconds; labels: group, queue, subscription_id
	ExpectedBacklog Metric = "expected_backlog" // messages; labels: group, queue, subscription_id
)

// Type is the full metric type.
func (m Metric) Type() string { return "custom.googleapis.com/onceway/" + string(m) }

// Gauge is one value to write. Labels that are empty are left out. A customer
// is never a label: see the cost of time series.
type Gauge struct {
	Metric       Metric
	Group        string
	Queue        string
	Subscription string // short ID
	At           time.Time
	Value        float64
}

func (g Gauge) labels() map[string]string {
	labels := map[string]string{}
	for name, value := range map[string]string{"group": g.Group, "queue": g.Queue, "subscription_id": g.Subscription} {
		if value != "" {
			labels[name] = value
		}
	}
	return labels
}

// Written is what became of gauges.
type Written struct {
	Points   int // kept by the service
	NotNewer int // refused one by one: a point as new is there already
	Calls    int
}
