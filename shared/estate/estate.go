package estate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/setting"
)

// Project is where an estate stands.
type Project struct {
	ID     string
	Number string // decimal; part of URLs and of service agents' names
}

// Estate is everything that is to stand in one project.
type Estate struct {
	Project Project
	File    File
	Config  setting.Config // as the services' common environment has it
	Groups  groups.Config

	Services      []Service
	Topics        []Topic
	Subscriptions []Subscription
	Accounts      []Account
	Fields        []Field
	Jobs          []Job
	Grants        []Grant
}

// Service is a Cloud Run service.
type Service struct {
	ServiceSpec
	Account string            // e-mail address it runs as
	URL     string            // deterministic
	Env     map[string]string // complete but for what Cloud Run sets
	Timeout time.Duration     // of a request: the subscription's ack deadline for push
}

// Topic is one of our topics. Foreign ones belong to another project: they are
// looked at, never made.
type Topic struct {
	Name    string // projects/P/topics/T
	Labels  map[string]string
	Foreign bool
}

// Subscription is one of our subscriptions.
type Subscription struct {
	Name    string // projects/P/subscriptions/S
	Topic   string // full name
	Labels  map[string]string
	Foreign bool
	// Push names the service that is pushed to; "" for pull.
	Push             string
	Endpoint         string
	AckDeadline      time.Duration
	Retention        time.Duration
	ExactlyOnce      bool
	DeadLetter       string // topic; "" for none
	MinRetry         time.Duration
	MaxRetry         time.Duration
	DeadLetterHolder bool // holds dead letters: long retention, and somebody must read it
}

// Account is a service account.
type Account struct{ Email, Title string }

// Bounds of Pub/Sub's retry, and the attempts after which its own dead-lettering takes
// an event: the net beneath ours, wide enough for an outage of the store.
const (
	MinRetry         = 10 * time.Second
	MaxRetry         = 600 * time.Second
	DeliveryAttempts = 100
)

// New computes an estate. Its error says everything that does not fit together.
func New(ctx context.Context, f File, g groups.Config, p Project) (Estate, error) {
	e := Estate{Project: p, File: f, Groups: g.InProject(p.ID)}
	env := maps.Clone(f.Env)
	if env == nil {
		env = map[string]string{}
	}
	env["GOOGLE_CLOUD_PROJECT"], env["ONCEWAY_FIRESTORE_DATABASE"] = p.ID, f.Database.Name
	c, err := setting.Load(ctx, lookup(env))
	if err != nil {
		return e, fmt.Errorf("env of the deployment: %w", err)
	}
	var faults setting.Faults
	c.CheckProcess(&faults)
	c.CheckOnce(&faults)
	c.CheckPush(&faults)
	c.CheckState(&faults)
	if err := faults.Err(); err != nil {
		return e, fmt.Errorf("env of the deployment: %w", err)
	}
	e.Config = c
	for _, s := range f.Services {
		e.Services = append(e.Services, e.service(s, env))
	}
	e.topics()
	e.subscriptions()
	e.accounts()
	e.Fields = fields(c.Store.Prefix)
	e.jobs()
	e.grants()
	return e, nil
}

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	}
}

func (e *Estate) service(s ServiceSpec, common map[string]string) Service {
	env := maps.Clone(common)
	env["FUNCTION_TARGET"] = s.Function
	env["ONCEWAY_CONCURRENCY"] = strconv.Itoa(s.Scale.Concurrency)
	if s.IAP.Enabled {
		env[s.IAP.Audience] = fmt.Sprintf("/projects/%s/locations/%s/services/%s", e.Project.Number, e.File.Region, s.Name)
	}
	maps.Copy(env, s.Env)
	timeout := 60 * time.Second
	if s.Topic != "" {
		timeout = e.Config.Once.AckDeadline
	}
	return Service{ServiceSpec: s, Account: e.account(s.Name), URL: e.url(s.Name), Env: env, Timeout: timeout}
}

func (e *Estate) account(name string) string {
	return name + "@" + e.Project.ID + ".iam.gserviceaccount.com"
}

func (e *Estate) url(service string) string {
	return fmt.Sprintf("https://%s-%s.%s.run.app", service, e.Project.Number, e.File.Region)
}

// Service finds a service by name.
func (e *Estate) Service(name string) (Service, bool) {
	i := slices.IndexFunc(e.Services, func(s Service) bool { return s.Name == name })
	if i < 0 {
		return Service{}, false
	}
	return e.Services[i], true
}

// DeadLetters is the full name of the dead-letter topic.
func (e *Estate) DeadLetters() string { return e.Config.Full("topics", e.Config.Letters.Topic) }

// Pusher is whom Pub/Sub pushes as.
func (e *Estate) Pusher() string { return e.account("onceway-push") }

func (e *Estate) scheduler() string { return e.account("onceway-scheduler") }

// Windower may change how many instances stand ready.
func (e *Estate) Windower() string { return e.account("onceway-windows") }

// Builder is whom Cloud Build works as.
func (e *Estate) Builder() string { return e.account("onceway-build") }

// Bucket holds the sources that were submitted to Cloud Build.
func (e *Estate) Bucket() string { return e.Project.ID + "-onceway-build" }

// PubSubAgent is Pub/Sub's own account in this project.
func (e *Estate) PubSubAgent() string {
	return "service-" + e.Project.Number + "@gcp-sa-pubsub.iam.gserviceaccount.com"
}

// IAPAgent is Identity-Aware Proxy's own account in this project.
func (e *Estate) IAPAgent() string {
	return "service-" + e.Project.Number + "@gcp-sa-iap.iam.gserviceaccount.com"
}

// UsesIAP reports whether any service stands behind Identity-Aware Proxy.
func (e *Estate) UsesIAP() bool {
	return slices.ContainsFunc(e.Services, func(s Service) bool { return s.IAP.Enabled })
}

func (e *Estate) accounts() {
	for _, s := range e.Services {
		e.Accounts = append(e.Accounts, Account{s.Account, "Onceway: " + s.Function})
	}
	if w := e.File.Workers.Account; w != "" {
		e.Accounts = append(e.Accounts, Account{e.account(w), "Onceway: pull workers"})
	}
	e.Accounts = append(e.Accounts,
		Account{e.Pusher(), "Onceway: Pub/Sub pushes as it"},
		Account{e.scheduler(), "Onceway: Cloud Scheduler calls as it"},
		Account{e.Builder(), "Onceway: Cloud Build works as it"})
	if len(e.File.Windows.List) > 0 {
		e.Accounts = append(e.Accounts, Account{e.Windower(), "Onceway: keeps instances ready"})
	}
}
