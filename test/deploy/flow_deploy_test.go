//go:build deploy

package deploy_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"onceway.internal/test/deploy/standin"
)

const (
	imageA = "europe-west1-docker.pkg.dev/demo-project/onceway/onceway@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	imageB = "europe-west1-docker.pkg.dev/demo-project/onceway/onceway@sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// sound is what a sound revision answers to the request that changes nothing.
func sound(service string, w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Header.Get("Authorization") == "":
		w.WriteHeader(http.StatusForbidden)
	case service == "onceway-score" || service == "onceway-sweep":
		w.WriteHeader(http.StatusMethodNotAllowed)
	case service == "onceway-console": // the proxy answers
		w.WriteHeader(http.StatusUnauthorized)
	case service == "onceway-assign":
		w.WriteHeader(http.StatusOK)
	default:
		w.WriteHeader(http.StatusBadRequest)
	}
}

// steps run one after the other, each on what the one before left.
func (w *world) steps(t *testing.T, all []step) {
	for _, s := range all {
		if !t.Run(s.name, func(t *testing.T) {
			w.t = t
			s.do(t)
		}) {
			t.Fatal("the next steps build on this one")
		}
	}
}

type step struct {
	name string
	do   func(t *testing.T)
}

func TestProvision(t *testing.T) {
	w := newWorld(t).withGcloud()
	w.steps(t, []step{
		{"an empty project gets what the golden file says", func(t *testing.T) {
			out := w.do(0, "provision", "--no-groups")
			if !strings.Contains(out, "waiting for the first release") {
				t.Errorf("it does not say what waits: %s", out)
			}
			w.golden("provision")
		}},
		{"the first release takes the traffic of new services", func(*testing.T) {
			w.do(0, "release", "--image="+imageA)
			w.golden("release-first")
		}},
		{"what waited is hooked up, and nothing else is sent", func(*testing.T) {
			w.do(0, "provision", "--no-groups")
			w.golden("provision-after-release")
		}},
		{"another run changes nothing", func(*testing.T) {
			w.do(0, "provision", "--no-groups")
			w.silent("a second provision")
		}},
	})
}

func TestReleases(t *testing.T) {
	w := provisioned(t).withGcloud()
	var broken atomic.Bool
	w.cloud.Probe = func(service string, rw http.ResponseWriter, r *http.Request) {
		if broken.Load() && service == "onceway-relay" {
			rw.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		sound(service, rw, r)
	}
	w.steps(t, []step{
		{"a release of what serves already changes nothing", func(*testing.T) {
			w.do(0, "release", "--image="+imageA)
			w.silent("a second release")
		}},
		{"a revision that is not sound gets no traffic, nor does any other", func(t *testing.T) {
			broken.Store(true)
			w.do(1, "release", "--image="+imageB)
			broken.Store(false)
			w.golden("release-broken")
			for _, name := range []string{"onceway-relay", "onceway-chat"} {
				if w.serving(name) == w.tagged(name, "candidate") {
					t.Errorf("the candidate of %s serves", name)
				}
			}
		}},
		{"a sound release moves traffic", func(*testing.T) {
			w.do(0, "release", "--image="+imageB)
			w.golden("release-second")
		}},
		{"rollback gives it back", func(t *testing.T) {
			before := w.tagged("onceway-chat", "previous")
			w.do(0, "rollback")
			if got := w.serving("onceway-chat"); got != before || before == "" {
				t.Errorf("%s serves, want %s", got, before)
			}
			w.golden("rollback")
		}},
		{"what drifted is shown and put right", func(*testing.T) { w.drift() }},
		{"gcloud's own linter accepts every command", func(t *testing.T) { lint(t, w) }},
	})
}

func TestDestroy(t *testing.T) {
	w := provisioned(t).withGcloud()
	w.steps(t, []step{
		{"it asks first", func(t *testing.T) {
			if out := w.do(3, "destroy", "--confirm=another-project"); !strings.Contains(out, "nothing was changed") {
				t.Errorf("it said %s", out)
			}
			w.silent("a destroy without consent")
		}},
		{"it removes what provision and release made", func(*testing.T) {
			w.do(0, "destroy", "--data", "--confirm="+project)
			w.golden("destroy")
		}},
		{"it leaves nothing to remove", func(t *testing.T) {
			if out := w.do(0, "destroy", "--data", "--confirm="+project); !strings.Contains(out, "nothing of it is there") {
				t.Errorf("it said %s", out)
			}
			w.silent("a second destroy")
		}},
	})
}

// drift changes a subscription and a job behind our back.
func (w *world) drift() {
	w.t.Helper()
	name := "projects/" + project + "/subscriptions/chat-events-push"
	w.patch(name, "ackDeadlineSeconds", standin.Doc{"ackDeadlineSeconds": 10})
	w.cloud.Edit("projects/"+project+"/locations/"+region+"/jobs/onceway-score", func(d standin.Doc) { d["schedule"] = "0 * * * *" })
	w.cloud.Forget()
	diff := w.do(0, "provision", "--diff")
	for _, want := range []string{"~ subscription " + name, "ack deadline: 10s -> 600s", "~ job onceway-score", "schedule: 0 * * * * -> * * * * *", "0 missing, 2 different"} {
		if !strings.Contains(diff, want) {
			w.t.Errorf("--diff lacks %q:\n%s", want, diff)
		}
	}
	w.silent("--diff")
	w.do(0, "provision", "--no-groups")
	w.golden("provision-drift")
	sub := w.subscription(name)
	if sub.AckDeadlineSeconds != 600 || sub.PushConfig.OIDCToken == nil {
		w.t.Errorf("after the repair: %+v", sub)
	}
}
