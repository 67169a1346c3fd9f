//go:build deploy

package deploy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"onceway.internal/shared/doctor"
	"onceway.internal/test/deploy/standin"
	"onceway.internal/test/servers"
)

const in = "projects/" + project

// examine runs ctl doctor and answers with its findings by check, and its exit status.
func (w *world) examine(t *testing.T, env ...string) (map[string][]doctor.Finding, int) {
	t.Helper()
	base := w.cloud.HTTP.URL + "/"
	args := []string{"-o", "json", "doctor"}
	for _, e := range []string{"run=" + base, "cloudscheduler=" + base + "v1/", "firestore=" + base + "v1/", "pubsub=" + base + "v1/",
		"cloudresourcemanager=" + base + "v1/", "iam=" + base + "v1/", "monitoring=" + base + "v3/"} {
		args = append(args, "--endpoint="+e)
	}
	env = append([]string{"GOOGLE_CLOUD_PROJECT=" + project, "ONCEWAY_GROUPS=test/deploy/testdata/groups.yaml"}, env...)
	out, errs, code := w.run(env, "ctl", args...)
	var all []doctor.Finding
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatalf("doctor printed %q, %q: %v", out, errs, err)
	}
	found := map[string][]doctor.Finding{}
	for _, f := range all {
		found[f.Check] = append(found[f.Check], f)
	}
	return found, code
}

// lively makes the stand-in look like a project that has run for a while.
func (w *world) lively() {
	now := time.Now().UTC()
	for _, job := range w.cloud.Paths(in + "/locations/" + region + "/jobs/") {
		w.cloud.Edit(job, func(d standin.Doc) {
			d["lastAttemptTime"], d["status"] = now.Format(time.RFC3339), standin.Doc{}
		})
	}
	w.sampled(now.Add(-3 * time.Minute))
}

// sampled says when Monitoring's newest figure is from.
func (w *world) sampled(at time.Time) {
	w.cloud.Edit(in+"/timeSeries", func(d standin.Doc) {
		d["timeSeries"] = []any{standin.Doc{"points": []any{standin.Doc{"interval": standin.Doc{"endTime": at.Format(time.RFC3339)}}}}}
	})
}

// setEnv changes a variable of a deployed service.
func (w *world) setEnv(service, name, value string) {
	w.onService(service, func(spec standin.Doc) {
		container := spec["containers"].([]any)[0].(standin.Doc)
		vars, _ := container["env"].([]any)
		for _, v := range vars {
			if d := v.(standin.Doc); d["name"] == name {
				d["value"] = value
				return
			}
		}
		container["env"] = append(vars, standin.Doc{"name": name, "value": value})
	})
}

func (w *world) onService(service string, edit func(spec standin.Doc)) {
	w.cloud.Edit("namespaces/"+project+"/services/"+service, func(d standin.Doc) {
		edit(d["spec"].(standin.Doc)["template"].(standin.Doc)["spec"].(standin.Doc))
	})
}

// plant is a mistake and how it is taken back, where the stand-in's memory is not all.
type plant struct {
	check string
	make  func()
	undo  func()
	env   []string
}

// TestDoctorPassesAndFindsEachPlantedMistake plants a mistake for every check there is.
func TestDoctorPassesAndFindsEachPlantedMistake(t *testing.T) {
	w := provisioned(t)
	w.lively()
	memory := w.cloud.Snapshot()
	w.healthy(t)
	for _, p := range w.plants(t) {
		t.Run(p.check, func(t *testing.T) {
			p.make()
			found, code := w.examine(t, p.env...)
			w.judge(t, p.check, found, code)
			w.cloud.Restore(memory)
			if p.undo != nil {
				p.undo()
			}
		})
	}
	w.healthy(t)
	w.blind(t)
	w.lintFixes(t)
}

// healthy wants nothing but sound checks.
func (w *world) healthy(t *testing.T) {
	t.Helper()
	found, code := w.examine(t)
	if len(found) != len(doctor.Names()) || code != 0 {
		t.Errorf("%d checks, exit %d", len(found), code)
	}
	for _, name := range doctor.Names() {
		if f := found[name]; len(f) != 1 || f[0].Status != doctor.OK {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// judge wants the check to have found something that it can mend, and no other check
// to have found anything.
func (w *world) judge(t *testing.T, check string, found map[string][]doctor.Finding, code int) {
	t.Helper()
	failed := false
	for _, name := range doctor.Names() {
		for _, f := range found[name] {
			bad := f.Status == doctor.Error || f.Status == doctor.Warning
			failed = failed || f.Status == doctor.Error
			if bad != (name == check) {
				t.Errorf("%s: %+v", name, f)
			}
			if bad && (f.Fix == "" || f.Subject == "") {
				t.Errorf("%s has no fix or no subject: %+v", name, f)
			}
			if len(f.Fix) > 7 && f.Fix[:7] == "gcloud " {
				w.fixes = append(w.fixes, f.Fix)
			}
		}
	}
	if (code == 1) != failed {
		t.Errorf("exit %d with errors: %v", code, failed)
	}
}

func (w *world) plants(t *testing.T) []plant {
	sub := in + "/subscriptions/chat-events-push"
	letters := in + "/subscriptions/onceway-letters"
	field := func(name string) string { return in + "/databases/(default)/collectionGroups/claims/fields/" + name }
	agent := "serviceAccount:service-" + number + "@gcp-sa-pubsub.iam.gserviceaccount.com"
	whole := w.whole(sub)
	redisURL := servers.Redis(t)
	return []plant{
		{check: "resources", make: func() { w.cloud.Remove("namespaces/" + project + "/services/onceway-assign") }},
		{check: "ack-deadline", make: func() { w.patch(sub, "ackDeadlineSeconds", standin.Doc{"ackDeadlineSeconds": 60}) },
			undo: func() { w.patch(sub, "ackDeadlineSeconds", standin.Doc{"ackDeadlineSeconds": 600}) }},
		{check: "lease", make: func() { w.setEnv("onceway-chat", "ONCEWAY_LEASE", "200s") }},
		{check: "request-timeout", make: func() { w.onService("onceway-chat", func(s standin.Doc) { s["timeoutSeconds"] = 300 }) }},
		{check: "cpu", make: func() {
			w.onService("onceway-chat", func(s standin.Doc) {
				s["containers"].([]any)[0].(standin.Doc)["resources"] = standin.Doc{"limits": standin.Doc{"cpu": "500m"}}
			})
		}},
		{check: "memory-backend", make: func() { w.setEnv("onceway-chat", "ONCEWAY_CLAIMS", "memory") }},
		{check: "redis", env: []string{"ONCEWAY_CLAIMS=redis", "ONCEWAY_REDIS_URL=" + redisURL},
			make: func() { evicting(t, redisURL, "allkeys-lru") }, undo: func() { evicting(t, redisURL, "noeviction") }},
		{check: "retention", make: func() { w.setEnv("onceway-chat", "ONCEWAY_RETENTION", "24h") }},
		{check: "ttl-policy", make: func() { w.cloud.Edit(field("expireAt"), func(d standin.Doc) { delete(d, "ttlConfig") }) }},
		{check: "index-exemption", make: func() { w.cloud.Edit(field("createdAt"), func(d standin.Doc) { delete(d, "indexConfig") }) }},
		{check: "dead-letter-policy", make: func() { w.patch(sub, "deadLetterPolicy", standin.Doc{}) },
			undo: func() { w.patch(sub, "deadLetterPolicy", standin.Doc{"deadLetterPolicy": whole["deadLetterPolicy"]}) }},
		{check: "dead-letter-subscription", make: func() {
			w.patch(letters, "messageRetentionDuration", standin.Doc{"messageRetentionDuration": "86400s"})
		},
			undo: func() {
				w.patch(letters, "messageRetentionDuration", standin.Doc{"messageRetentionDuration": "2678400s"})
			}},
		{check: "dead-letter-grants", make: func() { w.cloud.Revoke(sub, "roles/pubsub.subscriber", agent) }},
		{check: "retry-policy", make: func() { w.patch(sub, "retryPolicy", standin.Doc{}) },
			undo: func() { w.patch(sub, "retryPolicy", standin.Doc{"retryPolicy": whole["retryPolicy"]}) }},
		{check: "push-and-pull", make: func() {
			w.send(http.MethodPut, in+"/subscriptions/relay-by-hand", []byte(`{"topic":"`+in+`/topics/relay-events"}`))
		}, undo: func() { w.send(http.MethodDelete, in+"/subscriptions/relay-by-hand", nil) }},
		{check: "push-auth", make: func() {
			w.patch(sub, "pushConfig", standin.Doc{"pushConfig": standin.Doc{"pushEndpoint": whole["pushConfig"].(standin.Doc)["pushEndpoint"]}})
		}, undo: func() { w.patch(sub, "pushConfig", standin.Doc{"pushConfig": whole["pushConfig"]}) }},
		{check: "chat-publishers", make: func() { w.cloud.Grant(in+"/topics/chat-events", "roles/pubsub.publisher", "user:mallory@acme.example") }},
		{check: "service-agents", make: func() { w.cloud.Revoke(in, "roles/pubsub.serviceAgent", agent) }},
		{check: "scheduler", make: func() {
			w.cloud.Edit(in+"/locations/"+region+"/jobs/onceway-sweep", func(d standin.Doc) { d["state"] = "PAUSED" })
		}},
		{check: "monitoring-lag", make: func() { w.sampled(time.Now().Add(-15 * time.Minute)) }},
	}
}

// whole is a subscription as the emulator has it.
func (w *world) whole(name string) (d standin.Doc) {
	w.t.Helper()
	w.fetch("/v1/"+name, &d)
	return d
}

func evicting(t *testing.T, url, policy string) {
	t.Helper()
	opts, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(opts)
	defer c.Close()
	if err := c.ConfigSet(context.Background(), "maxmemory-policy", policy).Err(); err != nil {
		t.Fatal(err)
	}
}

// blind sees nothing but Pub/Sub (with its grants, which the stand-in answers for): what
// it can't see must not pass.
func (w *world) blind(t *testing.T) {
	t.Helper()
	out, errs, code := w.run([]string{"GOOGLE_CLOUD_PROJECT=" + project, "ONCEWAY_GROUPS=test/deploy/testdata/groups.yaml", "PUBSUB_EMULATOR_HOST=" + strings.TrimPrefix(w.cloud.HTTP.URL, "http://")},
		"ctl", "-o", "json", "doctor", "--number="+number)
	var all []doctor.Finding
	if err := json.Unmarshal([]byte(out), &all); err != nil || code != 0 {
		t.Fatalf("exit %d, %q, %q: %v", code, out, errs, err)
	}
	seen := map[string]doctor.Status{}
	for _, f := range all {
		seen[f.Check] = f.Status
	}
	visible := map[string]bool{"ack-deadline": true, "retention": true, "dead-letter-policy": true, "dead-letter-subscription": true, "retry-policy": true, "push-and-pull": true, "redis": true, "dead-letter-grants": true}
	for _, name := range doctor.Names() {
		want := doctor.Unchecked
		if visible[name] {
			want = doctor.OK
		}
		if seen[name] != want {
			t.Errorf("%s is %q on the emulator alone, want %q", name, seen[name], want)
		}
	}
	if len(seen) == 0 {
		t.Error(fmt.Sprint("no findings: ", errs))
	}
}
