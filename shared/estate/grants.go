package estate

import (
	"fmt"
	"strings"
)

// Kinds of what a grant holds on.
const (
	OnProject      = "project"
	OnTopic        = "topic"
	OnSubscription = "subscription"
	OnService      = "service"
	OnAccount      = "account"
	OnRepository   = "repository"
	OnBucket       = "bucket"
	OnIAP          = "iap"
)

// Grant gives a member a role on one resource.
type Grant struct {
	On, Name string // Name is full for topics and subscriptions, else the short one
	Member   string
	Role     string
	// Condition narrows a role on the project; "" is none.
	Condition string
	Why       string
	// Service must have been deployed before the grant can be given; "" is none.
	Service string
}

func (e *Estate) grants() {
	for _, s := range e.Services {
		e.roles(s.Account, s.Roles)
		e.invokers(s)
	}
	if w := e.File.Workers; w.Account != "" {
		e.roles(e.account(w.Account), w.Roles)
		for _, k := range w.Kubernetes {
			e.grant(OnAccount, e.account(w.Account), fmt.Sprintf("serviceAccount:%s.svc.id.goog[%s]", e.Project.ID, k),
				"roles/iam.workloadIdentityUser", "pods work as it")
		}
	}
	for _, m := range e.File.Chat.Publishers {
		e.grant(OnTopic, e.topic(e.File.Chat.Topic), m, "roles/pubsub.publisher", "Google Chat hands over its events")
	}
	e.agents()
	e.builder()
	e.windower()
}

func (e *Estate) grant(on, name, member, role, why string) {
	g := Grant{On: on, Name: name, Member: member, Role: role, Why: why}
	if on == OnService || on == OnIAP {
		g.Service = name
	}
	for _, have := range e.Grants {
		if have.On == on && have.Name == name && have.Member == member && have.Role == role {
			return
		}
	}
	e.Grants = append(e.Grants, g)
}

func (e *Estate) roles(account string, roles []RoleSpec) {
	member := "serviceAccount:" + account
	for _, r := range roles {
		switch r.On {
		case "project":
			e.grant(OnProject, e.Project.ID, member, r.Role, r.Why)
		case "database":
			e.Grants = append(e.Grants, Grant{
				On: OnProject, Name: e.Project.ID, Member: member, Role: r.Role, Why: r.Why,
				Condition: fmt.Sprintf(`resource.name=="projects/%s/databases/%s"`, e.Project.ID, e.File.Database.Name),
			})
		default:
			on, names := e.holders(r.On)
			for _, name := range names {
				e.grant(on, name, member, r.Role, r.Why)
			}
		}
	}
}

// holders are the resources that a word in the file stands for.
func (e *Estate) holders(word string) (on string, names []string) {
	switch word {
	case "dead-letters":
		return OnTopic, []string{e.DeadLetters()}
	case "groups":
		for _, g := range e.Groups.Groups {
			names = append(names, g.Topic())
		}
		if e.Groups.Overflow != "" {
			names = append(names, e.Groups.Overflow)
		}
		return OnTopic, names
	case "events":
		for _, s := range e.Services {
			if s.Topic != "" && e.topic(s.Topic) != e.DeadLetters() {
				names = append(names, e.topic(s.Topic))
			}
		}
		for _, p := range e.File.Workers.Subscriptions {
			names = append(names, e.topic(p.Topic))
		}
		return OnTopic, names
	}
	for _, p := range e.File.Workers.Subscriptions {
		names = append(names, e.subscription(p.Name))
	}
	return OnSubscription, names
}

func (e *Estate) invokers(s Service) {
	const invoker = "roles/run.invoker"
	if s.Topic != "" {
		e.grant(OnService, s.Name, "serviceAccount:"+e.Pusher(), invoker, "Pub/Sub pushes events")
	}
	if s.Schedule != "" {
		e.grant(OnService, s.Name, "serviceAccount:"+e.scheduler(), invoker, "Cloud Scheduler calls it")
	}
	for _, c := range s.Callers {
		e.grant(OnService, s.Name, c, invoker, "asks it")
	}
	if s.IAP.Enabled {
		e.grant(OnService, s.Name, "serviceAccount:"+e.IAPAgent(), invoker, "Identity-Aware Proxy lets people through")
		for _, m := range s.IAP.Members {
			e.grant(OnIAP, s.Name, m, "roles/iap.httpsResourceAccessor", "uses it")
		}
	}
	e.grant(OnService, s.Name, "serviceAccount:"+e.Builder(), invoker, "tries new revisions")
}

// agents are Pub/Sub's own needs: it forwards to the dead-letter topic, takes the
// forwarded off the subscription, and makes tokens of the pushing account.
func (e *Estate) agents() {
	agent := "serviceAccount:" + e.PubSubAgent()
	e.grant(OnTopic, e.DeadLetters(), agent, "roles/pubsub.publisher", "forwards what was tried too often")
	for _, s := range e.Subscriptions {
		if s.DeadLetter != "" {
			e.grant(OnSubscription, s.Name, agent, "roles/pubsub.subscriber", "takes off what it forwarded")
			if s.Push != "" {
				e.Grants[len(e.Grants)-1].Service = s.Push
			}
		}
	}
	e.grant(OnAccount, e.Pusher(), agent, "roles/iam.serviceAccountTokenCreator", "makes the tokens that pushes carry")
}

func (e *Estate) builder() {
	b := "serviceAccount:" + e.Builder()
	e.grant(OnProject, e.Project.ID, b, "roles/run.developer", "makes services, which don't exist before")
	e.grant(OnProject, e.Project.ID, b, "roles/logging.logWriter", "writes the build's log")
	e.grant(OnRepository, e.File.Repository, b, "roles/artifactregistry.writer", "pushes the image")
	e.grant(OnBucket, e.Bucket(), b, "roles/storage.objectViewer", "reads the sources")
	for _, s := range e.Services {
		e.grant(OnAccount, s.Account, b, "roles/iam.serviceAccountUser", "deploys a service that runs as it")
	}
}

func (e *Estate) windower() {
	for _, w := range e.File.Windows.List {
		member := "serviceAccount:" + e.Windower()
		s, _ := e.Service(w.Service)
		e.grant(OnService, s.Name, member, "roles/run.developer", "sets the minimum of instances")
		e.grant(OnAccount, s.Account, member, "roles/iam.serviceAccountUser", "changes a service that runs as it")
	}
}

// Table is the grants as rows of a Markdown table: who, what, on what, why.
func (e *Estate) Table() string {
	var b strings.Builder
	b.WriteString("| who | role | on | why |\n| --- | --- | --- | --- |\n")
	for _, g := range e.Grants {
		on := g.On + " `" + Short(g.Name) + "`"
		if g.Condition != "" {
			on = "database `" + e.File.Database.Name + "`"
		} else if g.On == OnProject {
			on = "project"
		}
		who, _, _ := strings.Cut(strings.TrimPrefix(g.Member, "serviceAccount:"), "@"+e.Project.ID)
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", who, g.Role, on, g.Why)
	}
	return b.String()
}
