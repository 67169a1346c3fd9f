package monitoring_test

import (
	"testing"

	"onceway.internal/shared/backlog"
	"onceway.internal/shared/backlog/monitoring"
	standin "onceway.internal/test/monitoring"
	"onceway.internal/test/monitoring/bench"
)

// rig is the stand-in, the reader's and writer's other end.
type rig struct{ *bench.Bench }

func newBench(t *testing.T) rig {
	t.Helper()
	return rig{bench.New(t, map[string][]string{"demo-project": {"globex-project"}})}
}

func (b rig) set(q backlog.Queue, f standin.Figures) {
	b.Set("projects/"+q.Project+"/subscriptions/"+q.Subscription, f)
}

func (b rig) reader(t *testing.T, change func(*monitoring.Config)) *monitoring.Reader {
	t.Helper()
	cfg := monitoring.Config{Dial: monitoring.Given(b.Client), Now: b.Now}
	if change != nil {
		change(&cfg)
	}
	r, err := monitoring.NewReader(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func queue(project, subscription string) backlog.Queue {
	return backlog.Queue{Group: "dg01", Name: "personalizer", Project: project, Subscription: subscription}
}
