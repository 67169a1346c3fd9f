package estate

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// File is infra/deploy.yaml.
type File struct {
	Region     string            `yaml:"region"`
	Repository string            `yaml:"repository"`
	Database   Database          `yaml:"database"`
	Env        map[string]string `yaml:"env"`
	Services   []ServiceSpec     `yaml:"services"`
	Workers    Workers           `yaml:"workers"`
	Chat       ChatSpec          `yaml:"chat"`
	Windows    Windows           `yaml:"windows"`
	Alerts     Alerts            `yaml:"alerts"`
}

// Database is the Firestore database.
type Database struct {
	Name     string `yaml:"name"`
	Location string `yaml:"location"`
}

// ServiceSpec is one Cloud Run service. It has a Topic that is pushed to it, a Schedule
// that calls it, or neither.
type ServiceSpec struct {
	Name     string            `yaml:"name"`
	Function string            `yaml:"function"`
	Topic    string            `yaml:"topic"`
	Schedule string            `yaml:"schedule"`
	Callers  []string          `yaml:"callers"`
	IAP      IAP               `yaml:"iap"`
	Scale    Scale             `yaml:"scale"`
	Smoke    Smoke             `yaml:"smoke"`
	Env      map[string]string `yaml:"env"`
	Roles    []RoleSpec        `yaml:"roles"`
}

// IAP puts Identity-Aware Proxy before a service, for these members.
type IAP struct {
	Enabled bool     `yaml:"enabled"`
	Members []string `yaml:"members"`
	// Audience is the variable that tells the service its audience.
	Audience string `yaml:"audience"`
}

// Scale is how a service runs.
type Scale struct {
	Min         int    `yaml:"min"`
	Max         int    `yaml:"max"`
	Concurrency int    `yaml:"concurrency"`
	CPU         string `yaml:"cpu"`
	Memory      string `yaml:"memory"`
}

// Smoke is a request that changes nothing, and what a sound revision answers.
type Smoke struct {
	Method string `yaml:"method"`
	Path   string `yaml:"path"`
	Status []int  `yaml:"status"`
}

// RoleSpec is a role, what it holds on and why. On is project, database,
// dead-letters, groups, events or workers.
type RoleSpec struct {
	Role string `yaml:"role"`
	On   string `yaml:"on"`
	Why  string `yaml:"why"`
}

// Workers are pull-mode containers.
type Workers struct {
	Account       string     `yaml:"account"`
	Kubernetes    []string   `yaml:"kubernetes"`
	Subscriptions []PullSpec `yaml:"subscriptions"`
	Roles         []RoleSpec `yaml:"roles"`
}

// PullSpec is a subscription that workers pull.
type PullSpec struct {
	Name     string `yaml:"name"`
	Topic    string `yaml:"topic"`
	Function string `yaml:"function"`
}

// ChatSpec names the topic whose publishers are trusted, and them.
type ChatSpec struct {
	Topic      string   `yaml:"topic"`
	Publishers []string `yaml:"publishers"`
}

// Windows are times with more instances.
type Windows struct {
	TimeZone string   `yaml:"timeZone"`
	List     []Window `yaml:"list"`
}

// Window keeps Minimum instances of Service from Start to End, both cron lines.
type Window struct {
	Service string `yaml:"service"`
	Name    string `yaml:"name"`
	Start   string `yaml:"start"`
	End     string `yaml:"end"`
	Minimum int    `yaml:"minimum"`
}

// Alerts says who hears of them.
type Alerts struct {
	Channels []string `yaml:"channels"`
}

// Load reads and checks a file.
func Load(path string) (File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return File{}, fmt.Errorf("read deployment: %w", err)
	}
	return Parse(path, data)
}

// Parse reads deploy.yaml strictly; name stands for the file in errors, which are all
// there are.
func Parse(name string, data []byte) (File, error) {
	var f File
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&f); err != nil {
		return f, fmt.Errorf("%s: %w", name, err)
	}
	var faults []error
	f.check(func(bad bool, field, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf("%s: %s: %s", name, field, fmt.Sprintf(format, args...)))
		}
	})
	return f, errors.Join(faults...)
}

var (
	serviceName = regexp.MustCompile(`^[a-z][a-z0-9-]{4,28}[a-z0-9]$`) // names a service account too
	cronLine    = regexp.MustCompile(`^\S+ \S+ \S+ \S+ \S+$`)
	holders     = []string{"project", "database", "dead-letters", "groups", "events", "workers"}
)

type fault func(bad bool, field, format string, args ...any)

func (f File) check(add fault) {
	add(f.Region == "", "region", "is missing")
	add(f.Repository == "", "repository", "is missing")
	add(f.Database.Name == "" || f.Database.Location == "", "database", "needs a name and a location")
	add(len(f.Services) == 0, "services", "there are none")
	seen := map[string]bool{}
	for i, s := range f.Services {
		field := fmt.Sprintf("services[%d]", i)
		add(seen[s.Name], field+".name", "%s is there twice", s.Name)
		seen[s.Name] = true
		s.check(field, add)
	}
	checkRoles("workers", f.Workers.Roles, add)
	for i, w := range f.Windows.List {
		field := fmt.Sprintf("windows.list[%d]", i)
		add(!seen[w.Service], field+".service", "%q is no service of this file", w.Service)
		add(!cronLine.MatchString(w.Start) || !cronLine.MatchString(w.End), field, "start and end must be cron lines of five fields")
		add(w.Minimum < 1, field+".minimum", "%d is below 1", w.Minimum)
	}
}

func (s ServiceSpec) check(field string, add fault) {
	add(!serviceName.MatchString(s.Name), field+".name", "%q must be 6 to 30 lower-case letters, digits and hyphens", s.Name)
	add(s.Function == "", field+".function", "is missing")
	add(s.Topic != "" && s.Schedule != "", field, "is pushed to or scheduled, not both")
	add(s.Schedule != "" && !cronLine.MatchString(s.Schedule), field+".schedule", "%q is no cron line of five fields", s.Schedule)
	add(s.Scale.Min < 0 || s.Scale.Max < 1 || s.Scale.Max < s.Scale.Min, field+".scale", "needs 0 <= min <= max and max >= 1")
	add(s.Scale.Concurrency < 1 || s.Scale.Concurrency > 1000, field+".scale.concurrency", "%d is not between 1 and 1000", s.Scale.Concurrency)
	add(s.Scale.CPU == "" || s.Scale.Memory == "", field+".scale", "needs cpu and memory")
	add(s.Smoke.Method == "" || !strings.HasPrefix(s.Smoke.Path, "/") || len(s.Smoke.Status) == 0, field+".smoke", "needs a method, a path and the statuses of a sound answer")
	add(s.IAP.Enabled && s.IAP.Audience == "", field+".iap.audience", "is missing: the variable that tells the service its audience")
	checkRoles(field, s.Roles, add)
}

func checkRoles(field string, roles []RoleSpec, add fault) {
	for i, r := range roles {
		at := fmt.Sprintf("%s.roles[%d]", field, i)
		add(!strings.HasPrefix(r.Role, "roles/"), at+".role", "%q is no role", r.Role)
		add(!slices.Contains(holders, r.On), at+".on", "%q is none of %s", r.On, strings.Join(holders, ", "))
		add(r.Why == "", at+".why", "is missing")
	}
}
