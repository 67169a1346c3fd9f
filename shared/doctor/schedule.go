package doctor

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"onceway.internal/shared/estate"
)

type job struct {
	Name, State     string
	LastAttemptTime time.Time
	Status          struct{ Code int }
}

// late is how long ago a job of each minute may have been called.
const late = 3 * time.Minute

func (x *exam) scheduled(ctx context.Context) (map[string]job, error) {
	return x.jobs.get(func() (map[string]job, error) {
		all, err := list[job](ctx, x.Cloud, Scheduler, "projects/"+x.Estate.Project.ID+"/locations/"+x.Estate.File.Region+"/jobs", "jobs", nil)
		return by(all, func(j job) string { return estate.Short(j.Name) }), err
	})
}

func scheduler(ctx context.Context, x *exam) ([]Finding, error) {
	jobs, err := x.scheduled(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, want := range x.Estate.Jobs {
		at := fmt.Sprintf("%s --location=%s", want.Name, x.Estate.File.Region)
		f := Finding{Status: Error, Subject: want.Name}
		j, ok := jobs[want.Name]
		// A window's job runs once a day: when it ran last says nothing.
		minutely := want.OIDC
		switch {
		case !ok:
			f.What, f.Fix = "the job is missing", provision
		case j.State != "ENABLED":
			f.What, f.Fix = "the job is "+j.State, x.gcloud("scheduler jobs resume %s", at)
		case j.Status.Code != 0:
			f.What, f.Fix = fmt.Sprintf("its last call failed with code %d", j.Status.Code), x.gcloud("logging read 'resource.type=cloud_scheduler_job AND resource.labels.job_id=%s' --limit=3", want.Name)
		case minutely && x.Now().Sub(j.LastAttemptTime) > late:
			f.What, f.Fix = "it was called last at "+j.LastAttemptTime.UTC().Format(time.RFC3339), x.gcloud("scheduler jobs run %s", at)
		default:
			continue
		}
		out = append(out, f)
	}
	return out, nil
}

// What Monitoring's figures may lag: up to four minutes are normal, and routing takes
// up to six for fresh.
const (
	lag  = 6 * time.Minute
	back = 20 * time.Minute
)

func monitoringLag(ctx context.Context, x *exam) ([]Finding, error) {
	now := x.Now()
	query := url.Values{
		"filter":             {`metric.type="pubsub.googleapis.com/subscription/num_undelivered_messages" AND resource.type="pubsub_subscription"`},
		"interval.startTime": {now.Add(-back).UTC().Format(time.RFC3339)}, "interval.endTime": {now.UTC().Format(time.RFC3339)},
	}
	type series struct {
		Points []struct{ Interval struct{ EndTime time.Time } }
	}
	all, err := list[series](ctx, x.Cloud, Monitoring, "projects/"+x.Estate.Project.ID+"/timeSeries", "timeSeries", query)
	if err != nil {
		return nil, err
	}
	var newest time.Time
	for _, s := range all {
		for _, p := range s.Points {
			if p.Interval.EndTime.After(newest) {
				newest = p.Interval.EndTime
			}
		}
	}
	if newest.IsZero() {
		return nil, fmt.Errorf("no subscription has figures of the last %v: idle ones may have none", back)
	}
	if age := now.Sub(newest); age > lag {
		return []Finding{{
			Status: Warning, Subject: "Cloud Monitoring", What: fmt.Sprintf("the newest backlog is %v old: routing goes by estimates", age.Round(time.Second)),
			Fix: "go run ./scripts/ctl latency",
		}}, nil
	}
	return nil, nil
}
