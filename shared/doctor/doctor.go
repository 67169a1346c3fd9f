package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onceway.internal/shared/estate"
	"onceway.internal/shared/setting"
)

// Config is what a Doctor works with.
type Config struct {
	Estate estate.Estate
	Cloud  *Cloud
	// Store is where the caller itself finds claims; a Redis is asked there.
	Store setting.Store
	// Redis asks for a section of INFO; nil where there is none.
	Redis func(ctx context.Context, section string) (string, error)
	Now   func() time.Time
}

// Doctor checks an installation.
type Doctor struct{ c Config }

// New returns a Doctor.
func New(c Config) (*Doctor, error) {
	if c.Cloud == nil || c.Cloud.HTTP == nil || c.Now == nil || c.Estate.Project.ID == "" {
		return nil, errors.New("new doctor: needs an estate, a cloud and a clock")
	}
	return &Doctor{c}, nil
}

// check is one question. It answers with what is wrong, nothing if all is well; an
// error says that it could not find out.
type check struct {
	name  string
	about string // what is well when it finds nothing
	run   func(context.Context, *exam) ([]Finding, error)
}

func checks() []check {
	return []check{
		{"resources", "topics, subscriptions and services are there", resources},
		{"ack-deadline", "ack deadlines leave time for a lease and a handler", ackDeadline},
		{"lease", "handlers end before their leases", lease},
		{"request-timeout", "requests may last as long as ack deadlines", requestTimeout},
		{"cpu", "instances have the processor and the slots that they say", cpu},
		{"memory-backend", "no service keeps claims or state in its memory", memoryBackend},
		{"redis", "Redis evicts nothing", redis},
		{"retention", "claims outlive every message that may come back", retention},
		{"ttl-policy", "old documents are cleaned up", ttlPolicy},
		{"index-exemption", "no index caps writes, and none is missing", indexExemption},
		{"dead-letter-policy", "Pub/Sub's own net is beneath", deadLetterPolicy},
		{"dead-letter-subscription", "dead letters are kept", deadLetterSubscription},
		{"dead-letter-grants", "Pub/Sub may forward dead letters", deadLetterGrants},
		{"retry-policy", "redeliveries pause", retryPolicy},
		{"push-and-pull", "each topic's events go one way", pushAndPull},
		{"push-auth", "pushes are authenticated, and let in", pushAuth},
		{"chat-publishers", "nobody else can speak for Chat", chatPublishers},
		{"service-agents", "Google's own accounts have their roles", serviceAgents},
		{"scheduler", "scheduled functions are called", scheduler},
		{"monitoring-lag", "backlog figures are fresh", monitoringLag},
	}
}

// Names lists the checks in their order.
func Names() []string {
	var names []string
	for _, c := range checks() {
		names = append(names, c.name)
	}
	return names
}

// Examine runs every check. A check that finds nothing is one finding with status OK.
func (d *Doctor) Examine(ctx context.Context) []Finding {
	x := newExam(d.c)
	var all []Finding
	for _, c := range checks() {
		found, err := c.run(ctx, x)
		for i := range found {
			found[i].Check = c.name
		}
		if err != nil {
			found = append(found, Finding{Check: c.name, Status: Unchecked, What: reason(err)})
		}
		if len(found) == 0 {
			found = []Finding{{Check: c.name, Status: OK, What: c.about}}
		}
		all = append(all, found...)
	}
	return all
}

func reason(err error) string { return fmt.Sprintf("could not find out: %v", err) }
