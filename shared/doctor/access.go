package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"onceway.internal/shared/estate"
)

func deadLetterGrants(ctx context.Context, x *exam) ([]Finding, error) {
	wanted, _, err := x.events(ctx)
	if err != nil {
		return nil, err
	}
	agent := "serviceAccount:" + x.Estate.PubSubAgent()
	var out []Finding
	ask := func(kind, resource, role, what string) error {
		p, err := x.Cloud.policy(ctx, PubSub, resource)
		if err != nil {
			return err
		}
		if !p.Has(role, agent) {
			out = append(out, Finding{
				Status: Error, Subject: estate.Short(resource), What: what,
				Fix: x.gcloud("pubsub %s add-iam-policy-binding %s --member=%s --role=%s", kind, estate.Short(resource), agent, role),
			})
		}
		return nil
	}
	if err := ask("topics", x.Estate.DeadLetters(), "roles/pubsub.publisher", "Pub/Sub may not publish dead letters: it never gives an event up"); err != nil {
		return nil, err
	}
	for _, s := range x.Estate.Subscriptions {
		if _, ok := wanted[s.Name]; ok && s.DeadLetter != "" {
			if err := ask("subscriptions", s.Name, "roles/pubsub.subscriber", "Pub/Sub may not take off what it forwarded: it is forwarded again and again"); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

func pushAuth(ctx context.Context, x *exam) ([]Finding, error) {
	all, err := x.subscriptions(ctx)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, want := range x.Estate.Subscriptions {
		s, ok := all[want.Name]
		if !ok || want.Push == "" {
			continue
		}
		service, _ := x.Estate.Service(want.Push)
		f := Finding{Status: Error, Subject: estate.Short(want.Name), Fix: x.onSubscription(want.Name,
			fmt.Sprintf("--push-endpoint=%s --push-auth-service-account=%s --push-auth-token-audience=%s", want.Endpoint, x.Estate.Pusher(), service.URL))}
		switch t := s.PushConfig.OIDCToken; {
		case s.PushConfig.PushEndpoint != want.Endpoint:
			f.What = fmt.Sprintf("it pushes to %q, not to %s", s.PushConfig.PushEndpoint, want.Push)
		case t == nil:
			f.What = "pushes carry no token: the service refuses them"
		case t.ServiceAccountEmail != x.Estate.Pusher() || t.Audience != service.URL:
			f.What = fmt.Sprintf("pushes carry a token of %s for %q: the service refuses them", t.ServiceAccountEmail, t.Audience)
		default:
			continue
		}
		out = append(out, f)
	}
	more, err := invokers(ctx, x)
	return append(out, more...), err
}

// invokers are those of the grants on services.
func invokers(ctx context.Context, x *exam) ([]Finding, error) {
	services, err := x.deployed(ctx)
	if err != nil {
		return nil, err
	}
	policies := map[string]Policy{}
	var out []Finding
	for _, g := range x.Estate.Grants {
		if _, ok := services[g.Name]; !ok || g.On != estate.OnService {
			continue
		}
		p, seen := policies[g.Name]
		if !seen {
			if p, err = x.Cloud.policy(ctx, Run, fmt.Sprintf("v1/projects/%s/locations/%s/services/%s", x.Estate.Project.ID, x.Estate.File.Region, g.Name)); err != nil {
				return out, err
			}
			policies[g.Name] = p
			out = append(out, open(x, g.Name, p)...)
		}
		if !p.Has(g.Role, g.Member) {
			out = append(out, Finding{
				Status: Error, Subject: g.Name, What: fmt.Sprintf("%s has not %s: %s", g.Member, g.Role, g.Why),
				Fix: x.gcloud("run services add-iam-policy-binding %s --member=%s --role=%s --region=%s", g.Name, g.Member, g.Role, x.Estate.File.Region),
			})
		}
	}
	return out, nil
}

// open finds a service that anybody may call.
func open(x *exam, name string, p Policy) []Finding {
	for _, who := range []string{"allUsers", "allAuthenticatedUsers"} {
		if p.Has("roles/run.invoker", who) {
			return []Finding{{
				Status: Error, Subject: name, What: who + " may call it: anybody can make up events",
				Fix: x.gcloud("run services remove-iam-policy-binding %s --member=%s --role=roles/run.invoker --region=%s", name, who, x.Estate.File.Region),
			}}
		}
	}
	return nil
}

// speaking are the roles that let somebody publish.
var speaking = []string{"roles/pubsub.publisher", "roles/pubsub.editor", "roles/pubsub.admin"}

// chatPublishers finds whoever could publish to the chat topic and is not known.
func chatPublishers(ctx context.Context, x *exam) ([]Finding, error) {
	topic := x.Estate.Config.Full("topics", x.Estate.File.Chat.Topic)
	known := map[string]bool{}
	for _, g := range x.Estate.Grants {
		if g.On == estate.OnTopic && g.Name == topic {
			known[g.Member] = true
		}
	}
	p, err := x.Cloud.policy(ctx, PubSub, topic)
	if err != nil {
		return nil, err
	}
	out := speakers(p, known, estate.Short(topic), func(role, member string) string {
		return x.gcloud("pubsub topics remove-iam-policy-binding %s --member=%s --role=%s", estate.Short(topic), member, role)
	})
	project, err := x.projectPolicy(ctx)
	if err != nil {
		return out, err
	}
	return append(out, speakers(project, nil, "project", func(role, member string) string {
		return fmt.Sprintf("gcloud projects remove-iam-policy-binding %s --member=%s --role=%s --condition=None", x.Estate.Project.ID, member, role)
	})...), nil
}

func speakers(p Policy, known map[string]bool, subject string, fix func(role, member string) string) []Finding {
	var out []Finding
	for _, b := range p.Bindings {
		for _, m := range b.Members {
			if slices.Contains(speaking, b.Role) && !known[m] && !strings.Contains(m, "@gcp-sa-") {
				out = append(out, Finding{
					Status: Error, Subject: subject, What: fmt.Sprintf("%s can publish Chat events by %s, and with them be anybody in Chat", m, b.Role), Fix: fix(b.Role, m),
				})
			}
		}
	}
	return out
}

func serviceAgents(ctx context.Context, x *exam) ([]Finding, error) {
	p, err := x.projectPolicy(ctx)
	if err != nil {
		return nil, err
	}
	agent := "serviceAccount:" + x.Estate.PubSubAgent()
	var out []Finding
	if role := "roles/pubsub.serviceAgent"; !p.Has(role, agent) {
		out = append(out, Finding{
			Status: Error, Subject: x.Estate.PubSubAgent(), What: "Pub/Sub's own account lacks its role",
			Fix: fmt.Sprintf("gcloud projects add-iam-policy-binding %s --member=%s --role=%s --condition=None", x.Estate.Project.ID, agent, role),
		})
	}
	pusher, err := x.Cloud.policy(ctx, IAM, "projects/"+x.Estate.Project.ID+"/serviceAccounts/"+x.Estate.Pusher())
	if err != nil {
		return out, err
	}
	if role := "roles/iam.serviceAccountTokenCreator"; !pusher.Has(role, agent) {
		out = append(out, Finding{
			Status: Error, Subject: x.Estate.Pusher(), What: "Pub/Sub may not make tokens of it: pushes carry none",
			Fix: x.gcloud("iam service-accounts add-iam-policy-binding %s --member=%s --role=%s", x.Estate.Pusher(), agent, role),
		})
	}
	return out, nil
}
