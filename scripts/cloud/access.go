package main

import (
	"onceway.internal/shared/estate"
)

// policyCommand is the gcloud group that keeps the policy of what a grant is on, with
// the words that name it before and the flags after.
func policyCommand(e estate.Estate, on, name string) (group, named, flags []string) {
	region := e.File.Region
	switch on {
	case estate.OnTopic:
		return []string{"pubsub", "topics"}, []string{estate.Short(name)}, []string{"--project=" + estate.Owner(name)}
	case estate.OnSubscription:
		return []string{"pubsub", "subscriptions"}, []string{estate.Short(name)}, []string{"--project=" + estate.Owner(name)}
	case estate.OnService:
		return []string{"run", "services"}, []string{name}, []string{"--region=" + region, "--project=" + e.Project.ID}
	case estate.OnAccount:
		return []string{"iam", "service-accounts"}, []string{name}, []string{"--project=" + e.Project.ID}
	case estate.OnRepository:
		return []string{"artifacts", "repositories"}, []string{name}, []string{"--location=" + region, "--project=" + e.Project.ID}
	case estate.OnBucket:
		return []string{"storage", "buckets"}, []string{"gs://" + name}, []string{"--project=" + e.Project.ID}
	case estate.OnIAP:
		return []string{"beta", "iap", "web"}, nil, []string{"--resource-type=cloud-run", "--service=" + name, "--region=" + region, "--project=" + e.Project.ID}
	}
	return []string{"projects"}, []string{name}, nil
}

// policyArgs puts a command on a policy together.
func policyArgs(e estate.Estate, on, name, verb string, more ...string) []string {
	group, named, flags := policyCommand(e, on, name)
	args := append(append(append([]string{}, group...), verb), named...)
	return append(append(args, more...), flags...)
}

// grantName is unique to a grant, and readable.
func grantName(on, name, member, role, condition string) string {
	text := on + " " + name + ": " + member + " " + role
	if condition != "" {
		text += " if " + condition
	}
	return text
}

// databaseTitle is the title of the condition that narrows a role to the database.
const databaseTitle = "onceway-database"

func (w *list) grant(g estate.Grant) {
	more := []string{"--member=" + g.Member, "--role=" + g.Role}
	switch {
	case g.Condition != "":
		more = append(more, "--condition=title="+databaseTitle+",expression="+g.Condition)
	case g.On == estate.OnProject:
		more = append(more, "--condition=None")
	}
	foreign := (g.On == estate.OnTopic || g.On == estate.OnSubscription) && estate.Owner(g.Name) != w.e.Project.ID
	w.add(resource{
		foreign: foreign,
		kind:    kindGrant, name: grantName(g.On, g.Name, g.Member, g.Role, g.Condition), after: g.Service,
		create: policyArgs(w.e, g.On, g.Name, "add-iam-policy-binding", more...),
		lock:   g.On + " " + g.Name, tries: 4,
	})
}
