package doctor

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"onceway.internal/shared/estate"
	"onceway.internal/shared/setting"
)

// exam is one round: everything is read once.
type exam struct {
	Config
	subs     lazy[map[string]subscription]
	services lazy[map[string]service]
	jobs     lazy[map[string]job]
	fields   lazy[map[string]field]
	project  lazy[Policy]
}

func newExam(c Config) *exam { return &exam{Config: c} }

// lazy reads at the first question, errors included. One goroutine asks.
type lazy[T any] struct {
	value T
	err   error
	done  bool
}

func (l *lazy[T]) get(read func() (T, error)) (T, error) {
	if !l.done {
		l.value, l.err = read()
		l.done = true
	}
	return l.value, l.err
}

// duration is Google's JSON form, as 600s.
type duration string

func (d duration) value() time.Duration {
	v, err := time.ParseDuration(string(d))
	if err != nil {
		return 0
	}
	return v
}

type subscription struct {
	Name, Topic              string
	AckDeadlineSeconds       int
	MessageRetentionDuration duration
	ExpirationPolicy         *struct{ TTL duration }
	PushConfig               struct {
		PushEndpoint string
		OIDCToken    *struct{ ServiceAccountEmail, Audience string }
	}
	DeadLetterPolicy *struct {
		DeadLetterTopic     string
		MaxDeliveryAttempts int
	}
	RetryPolicy *struct{ MinimumBackoff, MaximumBackoff duration }
}

func (s subscription) ackDeadline() time.Duration {
	return time.Duration(s.AckDeadlineSeconds) * time.Second
}

// subscriptions are all of the project, by full name.
func (x *exam) subscriptions(ctx context.Context) (map[string]subscription, error) {
	return x.subs.get(func() (map[string]subscription, error) {
		all, err := list[subscription](ctx, x.Cloud, PubSub, "projects/"+x.Estate.Project.ID+"/subscriptions", "subscriptions", nil)
		return by(all, func(s subscription) string { return s.Name }), err
	})
}

func by[T any](all []T, key func(T) string) map[string]T {
	m := make(map[string]T, len(all))
	for _, v := range all {
		m[key(v)] = v
	}
	return m
}

// service is a Cloud Run service as it is deployed.
type service struct {
	Metadata struct {
		Name        string
		Annotations map[string]string
	}
	Spec struct {
		Template struct {
			Metadata struct{ Annotations map[string]string }
			Spec     struct {
				ContainerConcurrency, TimeoutSeconds int
				Containers                           []struct {
					Env       []struct{ Name, Value string }
					Resources struct{ Limits map[string]string }
				}
			}
		}
	}
}

func (s service) lookup(name string) (string, bool) {
	for _, c := range s.Spec.Template.Spec.Containers {
		for _, v := range c.Env {
			if v.Name == name {
				return v.Value, true
			}
		}
	}
	return "", false
}

func (s service) limit(name string) string {
	for _, c := range s.Spec.Template.Spec.Containers {
		return c.Resources.Limits[name]
	}
	return ""
}

func (s service) maxInstances() string {
	return s.Spec.Template.Metadata.Annotations["autoscaling.knative.dev/maxScale"]
}

// config is the environment that the service runs with. Secrets are not in it.
func (s service) config(ctx context.Context) (setting.Config, error) {
	c, err := setting.Load(ctx, s.lookup)
	if err != nil {
		return c, fmt.Errorf("environment of %s: %w", s.Metadata.Name, err)
	}
	return c, nil
}

// deployed are our services, by name.
func (x *exam) deployed(ctx context.Context) (map[string]service, error) {
	return x.services.get(func() (map[string]service, error) {
		all, err := list[service](ctx, x.Cloud, Run, "apis/serving.knative.dev/v1/namespaces/"+x.Estate.Project.ID+"/services", "items", nil)
		return by(all, func(s service) string { return s.Metadata.Name }), err
	})
}

// times are those that a service runs with; the deployment's own where it can't be seen.
func (x *exam) times(ctx context.Context, name string) setting.Once {
	services, err := x.deployed(ctx)
	if s, ok := services[name]; err == nil && ok {
		if c, err := s.config(ctx); err == nil {
			return c.Once
		}
	}
	return x.Estate.Config.Once
}

// events are the subscriptions that bring events to functions and are there, with what
// the estate says of each.
func (x *exam) events(ctx context.Context) (map[string]estate.Subscription, map[string]subscription, error) {
	all, err := x.subscriptions(ctx)
	wanted := map[string]estate.Subscription{}
	for _, s := range x.Estate.Subscriptions {
		if _, ok := all[s.Name]; ok && (s.Push != "" || s.DeadLetter != "") {
			wanted[s.Name] = s
		}
	}
	return wanted, all, err
}

func (x *exam) projectPolicy(ctx context.Context) (Policy, error) {
	return x.project.get(func() (Policy, error) {
		return x.Cloud.policy(ctx, Resources, "projects/"+x.Estate.Project.ID)
	})
}

// gcloud is a command in the project.
func (x *exam) gcloud(format string, args ...any) string {
	return "gcloud " + fmt.Sprintf(format, args...) + " --project=" + x.Estate.Project.ID
}

// onService changes a deployed service.
func (x *exam) onService(name, flag string) string {
	return x.gcloud("run services update %s %s --region=%s", name, flag, x.Estate.File.Region)
}

const provision = "scripts/provision"

func seconds(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) + "s" }

func filter(text string) url.Values { return url.Values{"filter": {text}} }

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
