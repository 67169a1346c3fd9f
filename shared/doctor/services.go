package doctor

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"onceway.internal/shared/setting"
)

// running runs a rule over every service of ours that is deployed.
func running(ctx context.Context, x *exam, rule func(service, setting.Config) []Finding) ([]Finding, error) {
	all, err := x.deployed(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, want := range x.Estate.Services {
		s, ok := all[want.Name]
		if !ok {
			continue
		}
		c, err := s.config(ctx)
		if err != nil {
			return out, err
		}
		for _, f := range rule(s, c) {
			f.Subject = want.Name
			out = append(out, f)
		}
	}
	return out, nil
}

func lease(ctx context.Context, x *exam) ([]Finding, error) {
	return running(ctx, x, func(s service, c setting.Config) []Finding {
		if c.Once.HandlerTimeout < c.Once.Lease {
			return nil
		}
		return []Finding{{
			Status: Error, What: fmt.Sprintf("the handler's time-out %v is not shorter than the lease %v: another delivery takes over while it runs", c.Once.HandlerTimeout, c.Once.Lease),
			Fix: x.onService(s.Metadata.Name, "--update-env-vars=ONCEWAY_HANDLER_TIMEOUT="+(c.Once.Lease*4/5).String()),
		}}
	})
}

func requestTimeout(ctx context.Context, x *exam) ([]Finding, error) {
	subs, err := x.subscriptions(ctx)
	if err != nil {
		return nil, err
	}
	services, err := x.deployed(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, want := range x.Estate.Subscriptions {
		sub, ok := subs[want.Name]
		s, deployed := services[want.Push]
		if !ok || !deployed {
			continue
		}
		got := time.Duration(s.Spec.Template.Spec.TimeoutSeconds) * time.Second
		if got < sub.ackDeadline() {
			out = append(out, Finding{
				Status: Error, Subject: want.Push, What: fmt.Sprintf("requests end after %v, before the ack deadline of %v: Cloud Run gives up on a handler that still runs", got, sub.ackDeadline()),
				Fix: x.onService(want.Push, fmt.Sprintf("--timeout=%d", sub.AckDeadlineSeconds)),
			})
		}
	}
	return out, nil
}

func cpu(ctx context.Context, x *exam) ([]Finding, error) {
	return running(ctx, x, func(s service, c setting.Config) []Finding {
		var out []Finding
		at := s.Spec.Template.Spec.ContainerConcurrency
		if v := cores(s.limit("cpu")); v < 1 && at != 1 {
			out = append(out, Finding{
				Status: Error, What: fmt.Sprintf("%q of a processor serves %d requests at once: they starve each other past their leases", s.limit("cpu"), at),
				Fix: x.onService(s.Metadata.Name, "--cpu=1"),
			})
		}
		if at != c.Once.Slots {
			out = append(out, Finding{
				Status: Warning, What: fmt.Sprintf("Cloud Run sends %d requests at once to ONCEWAY_CONCURRENCY=%d slots", at, c.Once.Slots),
				Fix: x.onService(s.Metadata.Name, fmt.Sprintf("--concurrency=%d", c.Once.Slots)),
			})
		}
		return out
	})
}

// cores reads 1, 0.5 or 500m; 0 is unreadable.
func cores(s string) float64 {
	scale := 1.0
	if m, ok := strings.CutSuffix(s, "m"); ok {
		s, scale = m, 1000
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return v / scale
}

func memoryBackend(ctx context.Context, x *exam) ([]Finding, error) {
	return running(ctx, x, func(s service, c setting.Config) []Finding {
		var out []Finding
		for _, v := range []struct{ name, value string }{{"ONCEWAY_CLAIMS", c.Store.Claims}, {"ONCEWAY_STATE", c.Store.State}} {
			if v.value == setting.Memory {
				out = append(out, Finding{
					Status: Error, What: fmt.Sprintf("%s=memory with up to %s instances: each knows its own events alone, and forgets them on a restart", v.name, s.maxInstances()),
					Fix: x.onService(s.Metadata.Name, "--update-env-vars="+v.name+"=firestore"),
				})
			}
		}
		return out
	})
}

// redis asks the Redis of the caller's own environment, by INFO: managed services
// refuse CONFIG.
func redis(ctx context.Context, x *exam) ([]Finding, error) {
	if x.Store.Claims != setting.Redis && x.Estate.Config.Store.Claims != setting.Redis {
		return nil, nil
	}
	if x.Redis == nil {
		return nil, fmt.Errorf("redis: ONCEWAY_REDIS_URL is not set here")
	}
	memory, err := x.Redis(ctx, "memory")
	if err != nil {
		return nil, fmt.Errorf("ask Redis: %w", err)
	}
	var out []Finding
	if p := info(memory, "maxmemory_policy"); p != "noeviction" {
		out = append(out, Finding{
			Status: Error, Subject: "maxmemory-policy", What: fmt.Sprintf("%q lets Redis forget claims when it is full: their events act again", p),
			Fix: `redis-cli -u "$ONCEWAY_REDIS_URL" config set maxmemory-policy noeviction`,
		})
	}
	replication, err := x.Redis(ctx, "replication")
	if err != nil {
		return out, fmt.Errorf("ask Redis: %w", err)
	}
	if n := info(replication, "connected_slaves"); n != "" && n != "0" {
		out = append(out, Finding{
			Status: Warning, Subject: "replication", What: n + " replicas follow asynchronously: a failover may lose the last claims, and at-most-once events among them act again",
			Fix: "scripts/provision # with ONCEWAY_CLAIMS: firestore in infra/deploy.yaml, for services whose events must not act twice; then scripts/deploy",
		})
	}
	return out, nil
}

// info finds a line of INFO.
func info(text, name string) string {
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
