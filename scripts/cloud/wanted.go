package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"onceway.internal/shared/estate"
)

// apis are what the estate needs enabled.
var apis = []string{
	"artifactregistry.googleapis.com", "cloudbuild.googleapis.com", "cloudresourcemanager.googleapis.com",
	"cloudscheduler.googleapis.com", "firestore.googleapis.com", "iam.googleapis.com", "logging.googleapis.com",
	"monitoring.googleapis.com", "pubsub.googleapis.com", "run.googleapis.com", "storage.googleapis.com",
	"telemetry.googleapis.com",
}

// wanted lists everything that is to be there, in the order of making.
func wanted(e estate.Estate, files rendered) []resource {
	w := &list{e: e, project: "--project=" + e.Project.ID}
	w.apis()
	w.accounts()
	w.stores()
	w.queues()
	w.fields()
	w.agentRole("roles/pubsub.serviceAgent", e.PubSubAgent())
	for _, g := range e.Grants {
		w.grant(g)
	}
	w.monitoring(files)
	for _, j := range e.Jobs {
		w.job(j)
	}
	return w.all
}

type list struct {
	e       estate.Estate
	project string
	all     []resource
}

func (w *list) add(r resource) { w.all = append(w.all, r) }

// command ends every command with the project.
func (w *list) command(args ...string) []string { return append(args, w.project) }

func (w *list) apis() {
	names := apis
	if w.e.UsesIAP() {
		names = append(names[:len(names):len(names)], "iap.googleapis.com")
	}
	for _, name := range names {
		w.add(resource{kind: kindAPI, name: name, create: w.command("services", "enable", name)})
	}
	w.agent("pubsub.googleapis.com", w.e.PubSubAgent())
	if w.e.UsesIAP() {
		w.agent("iap.googleapis.com", w.e.IAPAgent())
	}
}

// agent has Google make its own account now: grants to it come before its first use.
func (w *list) agent(api, email string) {
	w.add(resource{kind: kindAgent, name: email, create: w.command("beta", "services", "identity", "create", "--service="+api)})
}

// agentRole is the role that Google gives its agent by itself; whoever took it away
// gets it back.
func (w *list) agentRole(role, email string) {
	w.grant(estate.Grant{On: estate.OnProject, Name: w.e.Project.ID, Member: "serviceAccount:" + email, Role: role})
}

func (w *list) accounts() {
	for _, a := range w.e.Accounts {
		name, _, _ := strings.Cut(a.Email, "@")
		w.add(resource{
			kind: kindAccount, name: a.Email, want: settings{"name": a.Title},
			create: w.command("iam", "service-accounts", "create", name, "--display-name="+a.Title),
			update: w.command("iam", "service-accounts", "update", a.Email, "--display-name="+a.Title),
		})
	}
}

func (w *list) stores() {
	f := w.e.File
	w.add(resource{
		kind: kindRepository, name: f.Repository, want: settings{"format": "DOCKER"},
		create: w.command("artifacts", "repositories", "create", f.Repository, "--repository-format=docker",
			"--location="+f.Region, "--description=Onceway's image"),
	})
	w.add(resource{
		kind: kindBucket, name: w.e.Bucket(),
		create: w.command("storage", "buckets", "create", "gs://"+w.e.Bucket(), "--location="+f.Region,
			"--uniform-bucket-level-access", "--public-access-prevention"),
	})
	w.add(resource{
		kind: kindDatabase, name: f.Database.Name, want: settings{"location": f.Database.Location, "type": "FIRESTORE_NATIVE"},
		create: w.command("firestore", "databases", "create", "--database="+f.Database.Name,
			"--location="+f.Database.Location, "--type=firestore-native", "--delete-protection"),
	})
}

func (w *list) fields() {
	database := "--database=" + w.e.File.Database.Name
	for _, f := range w.e.Fields {
		name := f.Collection + "." + f.Name
		r := resource{name: name, lock: "fields"} // one change of a database's fields at a time
		if f.TTL {
			r.kind = kindTTL
			r.create = w.command("firestore", "fields", "ttls", "update", f.Name, "--collection-group="+f.Collection, "--enable-ttl", database, "--async")
			w.add(r)
		}
		if f.Unindexed {
			r.kind = kindIndex
			r.create = w.command("firestore", "indexes", "fields", "update", f.Name, "--collection-group="+f.Collection, "--disable-indexes", database, "--async")
			w.add(r)
		}
	}
}

func (w *list) job(j estate.Job) {
	args := []string{
		j.Name, "--location=" + w.e.File.Region, "--schedule=" + j.Schedule, "--time-zone=" + j.TimeZone,
		"--uri=" + j.URL, "--http-method=post", "--attempt-deadline=" + seconds(j.Deadline),
	}
	want := settings{
		"schedule": j.Schedule, "time zone": j.TimeZone, "URL": j.URL, "method": "POST", "account": j.Account,
		"audience": j.Audience, "body": j.Body, "deadline": seconds(j.Deadline), "state": "ENABLED",
	}
	if j.OIDC {
		args = append(args, "--oidc-service-account-email="+j.Account, "--oidc-token-audience="+j.Audience)
	} else {
		args = append(args, "--oauth-service-account-email="+j.Account, "--oauth-token-scope=https://www.googleapis.com/auth/cloud-platform", "--message-body="+j.Body)
	}
	create, update := args, args
	if len(j.Headers) > 0 {
		create, update = append(create[:len(create):len(create)], "--headers="+pairs(j.Headers)), append(update[:len(update):len(update)], "--update-headers="+pairs(j.Headers))
	}
	w.add(resource{
		kind: kindJob, name: j.Name, want: want, after: j.Service,
		create: w.command(append([]string{"scheduler", "jobs", "create", "http"}, create...)...),
		update: w.command(append([]string{"scheduler", "jobs", "update", "http"}, update...)...),
	})
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) + "s" }

func pairs(m map[string]string) string {
	var out []string
	for _, k := range sortedKeys(m) {
		out = append(out, fmt.Sprintf("%s=%s", k, m[k]))
	}
	return strings.Join(out, ",")
}
