package main

import (
	"context"
	"strings"

	"onceway.internal/shared/estate"
)

// policies reads the policy of every resource that a grant is on and that is there.
func (o *observer) policies(ctx context.Context) error {
	type holder struct{ on, name string }
	var reads []func(context.Context) error
	seen := map[holder]bool{}
	for _, g := range o.e.Grants {
		h := holder{g.On, g.Name}
		if seen[h] || !o.there(g) {
			continue
		}
		seen[h] = true
		reads = append(reads, func(ctx context.Context) error { return o.policy(ctx, h.on, h.name) })
	}
	return o.each(ctx, reads)
}

func (o *observer) there(g estate.Grant) bool {
	switch g.On {
	case estate.OnTopic:
		return o.has(kindTopic, g.Name) && estate.Owner(g.Name) == o.e.Project.ID
	case estate.OnSubscription:
		return o.has(kindSubscription, g.Name) && estate.Owner(g.Name) == o.e.Project.ID
	case estate.OnAccount:
		return o.has(kindAccount, g.Name)
	case estate.OnRepository:
		return o.has(kindRepository, g.Name)
	case estate.OnBucket:
		return o.has(kindBucket, g.Name)
	case estate.OnService, estate.OnIAP:
		return o.deployed[g.Name]
	}
	return true // the project
}

func (o *observer) policy(ctx context.Context, on, name string) error {
	var p struct {
		Bindings []struct {
			Role      string
			Members   []string
			Condition *struct{ Title, Expression string }
		}
	}
	args := policyArgs(o.e, on, name, "get-iam-policy")
	g := o.g
	if err := g.readIn(ctx, &p, args...); err != nil {
		return err
	}
	for _, b := range p.Bindings {
		condition := ""
		if b.Condition != nil {
			condition = b.Condition.Expression
		}
		for _, m := range b.Members {
			o.add(kindGrant, grantName(on, name, m, b.Role, condition), nil)
			if agent, ok := strings.CutPrefix(m, "serviceAccount:service-"); ok {
				o.add(kindAgent, "service-"+agent, nil) // whoever has a role anywhere is there
			}
		}
	}
	return nil
}
