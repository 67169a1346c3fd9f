package estate

import (
	"fmt"
	"time"
)

// Job is a Cloud Scheduler job.
type Job struct {
	Name, Schedule, TimeZone string
	URL                      string
	// OIDC calls a service with an identity token; else a Google API with an access token.
	OIDC     bool
	Account  string
	Audience string
	Body     string
	Headers  map[string]string
	Deadline time.Duration
	Service  string
}

func (e *Estate) jobs() {
	for _, s := range e.Services {
		if s.Schedule == "" {
			continue
		}
		e.Jobs = append(e.Jobs, Job{
			Name: s.Name, Schedule: s.Schedule, TimeZone: "Etc/UTC", URL: s.URL + "/", OIDC: true,
			Account: e.scheduler(), Audience: s.URL, Deadline: 60 * time.Second, Service: s.Name,
		})
	}
	for _, w := range e.File.Windows.List {
		s, _ := e.Service(w.Service)
		e.Jobs = append(e.Jobs,
			e.window(w, "open", w.Start, max(w.Minimum, s.Scale.Min)),
			e.window(w, "close", w.End, s.Scale.Min))
	}
}

// window sets the service's own minimum, which makes no new revision. Scheduler has no
// PATCH, so the method is given by the header that Google's APIs take for it.
func (e *Estate) window(w Window, what, schedule string, minimum int) Job {
	return Job{
		Name: w.Service + "-" + w.Name + "-" + what, Schedule: schedule, TimeZone: e.File.Windows.TimeZone,
		URL: fmt.Sprintf("https://run.googleapis.com/v2/projects/%s/locations/%s/services/%s?updateMask=scaling.minInstanceCount",
			e.Project.ID, e.File.Region, w.Service),
		Account: e.Windower(), Body: fmt.Sprintf(`{"scaling":{"minInstanceCount":%d}}`, minimum),
		Headers:  map[string]string{"Content-Type": "application/json", "X-HTTP-Method-Override": "PATCH"},
		Deadline: 60 * time.Second, Service: w.Service,
	}
}
