package deployment_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"onceway.internal/shared/chatops"
	"onceway.internal/shared/chatops/deployment"
	"onceway.internal/shared/once"
)

const restart = "restart deployment shop/payments"

func TestARepeatChangesNothing(t *testing.T) {
	t.Parallel()
	for _, line := range []string{restart, "scale deployment shop/payments 5", "rollback deployment shop/payments to 1"} {
		a := newAPIServer(t)
		a.by("kubectl", object{"spec": object{"template": template("payments:2", object{"mode": "new"})}})
		w := newWorld(t, a.client(t))
		w.must(line, "op-1")
		version := a.at("metadata|resourceVersion")
		for range 2 {
			if text := w.must(line, "op-1"); !strings.Contains(text, "done before") {
				t.Errorf("%s: a repeat answers %q", line, text)
			}
		}
		if a.patches != 1 || a.at("metadata|resourceVersion") != version {
			t.Errorf("%s: %d patches took effect", line, a.patches)
		}
		if got := w.verify(line, "op-1", noon); got != once.EffectDone {
			t.Errorf("%s: verify says %v", line, got)
		}
	}
}

func TestRestartChangesThePodTemplateAndNothingElse(t *testing.T) {
	t.Parallel()
	a := newAPIServer(t)
	w := newWorld(t, a.client(t))
	if text := w.must(restart, "op-1"); !strings.HasPrefix(text, "3 pods are being replaced.") {
		t.Errorf("answered %q", text)
	}
	want := template("payments:1", object{"mode": "old", "kubectl.kubernetes.io/restartedAt": "2026-11-30T12:00:00Z", "onceway.internal/restart": "op-1"})
	if diff := cmp.Diff(clone(want), a.at("spec|template")); diff != "" {
		t.Error(diff)
	}
	w.must(restart, "op-2") // within the same second, and yet a restart
	if got := a.at("metadata|generation"); got != 3.0 {
		t.Errorf("generation %v after two restarts, want 3", got)
	}
	if a.at("spec|replicas") != 3.0 || a.at("metadata|annotations|team") != "pay" {
		t.Error("more was changed")
	}
}

func TestScaleMeansTheVersionThatItRead(t *testing.T) {
	t.Parallel()
	a := newAPIServer(t)
	w := newWorld(t, a.client(t))
	others := 0
	a.before = func() {
		if others++; others <= 2 {
			a.touch("autoscaler", object{"spec": object{"replicas": 10 + others}}, false)
		}
	}
	if text := w.must("scale deployment shop/payments to 0", "op-1"); text != "From 12 to 0." {
		t.Errorf("answered %q", text)
	}
	if a.at("spec|replicas") != 0.0 || a.patches != 1 {
		t.Errorf("%v replicas after %d patches", a.at("spec|replicas"), a.patches)
	}
}

func TestWhatBecomesOfFailures(t *testing.T) {
	t.Parallel()
	type verdict string
	const done, refused, unchanged, unknown verdict = "done", "refused", "no effect", "unknown"
	for name, test := range map[string]struct {
		line    string
		faults  []string
		before  func(*apiServer)
		want    verdict
		patches int
		begun   bool
	}{
		"the answer is lost":              {line: restart, faults: []string{"lose"}, want: done, patches: 1, begun: true},
		"the request is lost":             {line: restart, faults: []string{"lost"}, want: done, patches: 1, begun: true},
		"lost over and over":              {line: restart, faults: []string{"lost", "lost", "lost", "lost", "lost"}, want: unknown, begun: true},
		"a server error":                  {line: restart, faults: []string{"500"}, want: done, patches: 1, begun: true},
		"server errors over and over":     {line: restart, faults: []string{"500", "503", "500", "504", "500"}, want: unknown, begun: true},
		"conflicts over and over":         {line: restart, faults: []string{"409", "409", "409", "409", "409"}, want: unchanged, begun: true},
		"a loss, and conflicts then":      {line: restart, faults: []string{"lost", "409", "409", "409", "409"}, want: unknown, begun: true},
		"forbidden":                       {line: restart, faults: []string{"403"}, want: refused, begun: true},
		"a loss, and forbidden then":      {line: restart, faults: []string{"lost", "403", "403", "403", "403"}, want: unknown, begun: true},
		"invalid":                         {line: "scale deployment shop/payments 7", faults: []string{"422"}, want: refused, begun: true},
		"not let in":                      {line: restart, faults: []string{"401"}, want: unchanged, begun: true},
		"too many requests":               {line: restart, faults: []string{"429"}, want: unchanged, begun: true},
		"another deployment":              {line: "restart deployment shop/orders", want: refused},
		"another namespace":               {line: "restart deployment other/payments", want: refused},
		"paused: restart":                 {line: restart, before: pausedNow, want: refused},
		"paused: rollback":                {line: "rollback deployment shop/payments", before: pausedNow, want: refused},
		"paused: scale goes":              {line: "scale deployment shop/payments 2", before: pausedNow, want: done, patches: 1, begun: true},
		"no older revision":               {line: "rollback deployment shop/payments", want: refused},
		"no such revision":                {line: "rollback deployment shop/payments to 9", want: refused},
		"it is that revision":             {line: "rollback deployment shop/payments to 1", want: refused},
		"the annotation can't be read":    {line: restart, before: broken, want: refused},
		"paused while its answer is lost": {line: restart, faults: []string{"lose"}, before: pauseAfterPatch, want: done, patches: 1, begun: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAPIServer(t)
			a.faults = test.faults
			if test.before != nil {
				test.before(a)
			}
			_, begun, err := newWorld(t, a.client(t)).say(test.line, "op-1")
			got := done
			if err != nil {
				got = unknown
				if _, ok := errors.AsType[*once.NoEffectError](err); ok {
					got = unchanged
				}
				if _, ok := errors.AsType[*chatops.Refusal](err); ok {
					got = refused
				}
			}
			if got != test.want || a.patches != test.patches || begun != test.begun {
				t.Errorf("%s after %d patches, begun %v: %v; want %s after %d, begun %v", got, a.patches, begun, err, test.want, test.patches, test.begun)
			}
		})
	}
}

func pausedNow(a *apiServer) { a.by("kubectl", object{"spec": object{"paused": true}}) }

func broken(a *apiServer) {
	a.by("kubectl", object{"metadata": object{"annotations": object{deployment.Annotation: "op-0,op-1"}}})
}

func pauseAfterPatch(a *apiServer) {
	calls := 0
	a.before = func() {
		if calls++; calls == 2 {
			a.touch("kubectl", object{"spec": object{"paused": true}}, false)
		}
	}
}

func TestAClusterThatIsDownBeginsNothing(t *testing.T) {
	t.Parallel()
	a := newAPIServer(t)
	w := newWorld(t, a.client(t))
	a.Close()
	if _, begun, err := w.say(restart, "op-1"); err == nil || begun {
		t.Errorf("begun %v, %v", begun, err)
	}
}

func TestRollbackDoesWhatKubectlDoes(t *testing.T) {
	t.Parallel()
	a := newAPIServer(t)
	w := newWorld(t, a.client(t))
	a.by("kubectl", object{
		"metadata": object{"annotations": object{"team": "shop", "ticket": "42"}},
		"spec": object{"template": object{
			"metadata": object{"annotations": object{"mode": nil, "sidecar": "on"}},
			"spec":     object{"containers": []any{object{"name": "main", "image": "payments:2"}, object{"name": "side", "image": "side:1"}}, "nodeSelector": object{"disk": "ssd"}},
		}},
	})
	if a.revision() != 2 {
		t.Fatalf("revision %d", a.revision())
	}
	if text := w.must("rollback deployment shop/payments", "op-1"); !strings.HasPrefix(text, "Back to revision 1.") {
		t.Errorf("answered %q", text)
	}
	if diff := cmp.Diff(clone(template("payments:1", object{"mode": "old"})), a.at("spec|template")); diff != "" {
		t.Errorf("the template is not revision 1's: %s", diff)
	}
	if a.at("metadata|annotations|team") != "pay" || a.at("metadata|annotations|ticket") != nil {
		t.Errorf("annotations are not revision 1's: %v", a.at("metadata|annotations"))
	}
	if a.revision() != 3 {
		t.Errorf("it became revision %d, want 3", a.revision())
	}
	// Back to what was rolled back: our own list must not go back with it.
	w.must("rollback deployment shop/payments to 2", "op-2")
	if got := w.verify(restart, "op-1", noon); got != once.EffectDone {
		t.Errorf("the first rollback was forgotten: %v", got)
	}
}

// TestVerifyNeverTakesAGapForNothingDone is the table of what a missing entry means.
func TestVerifyNeverTakesAGapForNothingDone(t *testing.T) {
	t.Parallel()
	later := noon.Add(10 * time.Minute)
	for name, test := range map[string]struct {
		happened func(*apiServer, *world)
		asked    time.Time
		want     once.Answer
	}{
		"a list of ours, complete since before": {func(_ *apiServer, w *world) { w.must(restart, "op-1") }, later, once.EffectNotDone},
		"asked before the list was begun":       {func(_ *apiServer, w *world) { w.must(restart, "op-1") }, noon.Add(-time.Hour), once.Unknown},
		"asked when the list was begun":         {func(_ *apiServer, w *world) { w.must(restart, "op-1") }, noon.Add(30 * time.Second), once.Unknown},
		"no time is known":                      {func(_ *apiServer, w *world) { w.must(restart, "op-1") }, time.Time{}, once.Unknown},
		"there never was a list":                {func(*apiServer, *world) {}, later, once.Unknown},
		"the list was removed":                  {func(a *apiServer, w *world) { w.must(restart, "op-1"); a.by("kubectl", list(nil)) }, later, once.Unknown},
		"somebody else changed the list": {func(a *apiServer, w *world) {
			w.must(restart, "op-1")
			a.by("kubectl-rollout", list(`{"since":"2026-11-01T00:00:00Z","done":[]}`))
		}, later, once.Unknown},
		"somebody else did, and we wrote since":  {rewritten, later, once.Unknown},
		"the list can't be read":                 {func(a *apiServer, _ *world) { broken(a) }, later, once.Unknown},
		"it was dropped from a full list":        {full, later, once.Unknown},
		"asked after all that was dropped":       {full, noon.Add(time.Hour), once.EffectNotDone},
		"others changed other things":            {func(a *apiServer, w *world) { w.must(restart, "op-1"); pausedNow(a) }, later, once.EffectNotDone},
		"the deployment is gone, or the cluster": {func(a *apiServer, w *world) { w.must(restart, "op-1"); a.Close() }, later, once.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAPIServer(t)
			w := newWorld(t, a.client(t))
			test.happened(a, w)
			if got := w.verify(restart, "op-missing", test.asked); got != test.want {
				t.Errorf("%v, want %v; the list is %v", got, test.want, a.at("metadata|annotations|"+deployment.Annotation))
			}
		})
	}
}

func list(text any) object {
	return object{"metadata": object{"annotations": object{deployment.Annotation: text}}}
}

// rewritten restores a list from before an operation, as undoing a rollout does, and
// lets us write on top of it after that.
func rewritten(a *apiServer, w *world) {
	w.must(restart, "op-1")
	old := a.at("metadata|annotations|" + deployment.Annotation)
	w.now = noon.Add(10 * time.Minute)
	w.must(restart, "op-missing")
	a.by("kubectl-rollout", list(old))
	w.now = noon.Add(15 * time.Minute)
	w.must(restart, "op-3")
}

// full writes more than is kept, one each minute.
func full(_ *apiServer, w *world) {
	w.must(restart, "op-missing")
	for i := range 30 {
		w.now = noon.Add(time.Duration(i) * time.Minute)
		w.must(restart, fmt.Sprint("op-", i))
	}
}

func TestTheListIsBounded(t *testing.T) {
	t.Parallel()
	a := newAPIServer(t)
	full(a, newWorld(t, a.client(t)))
	var o struct {
		Done []any `json:"done"`
	}
	text, _ := a.at("metadata|annotations|" + deployment.Annotation).(string)
	if err := json.Unmarshal([]byte(text), &o); err != nil || len(o.Done) != 20 || len(text) > 2000 {
		t.Errorf("%d entries in %d bytes, %v", len(o.Done), len(text), err)
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newAPIServer(t).client(t))
	for line, good := range map[string]bool{
		restart: true, restart + " because it hangs": true, "scale deployment a/b 0": true, "scale deployment a/b to 1000": true,
		"rollback deployment a/b": true, "rollback deployment a/b to revision 3": true, "status deployment a/b.c-d": true,
		"restart deployment payments": false, "restart deployment Shop/payments": false, "restart deployment shop/pay/ments": false,
		"restart deployment shop/../secrets": false, "restart deployment shop/p%2f": false, "restart deployment shop/": false, "restart deployment -a/b": false,
		"scale deployment a/b": false, "scale deployment a/b -1": false, "scale deployment a/b 1001": false, "scale deployment a/b 1e3": false, "scale deployment a/b 5 6": false,
		"rollback deployment a/b to": false, "rollback deployment a/b to 0": false, "rollback deployment a/b 3": false, "status deployment a/b now": false,
	} {
		if _, _, err := w.set.Parse(line, noon); (err == nil) != good {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestStatusTellsHowFarARolloutIs(t *testing.T) {
	t.Parallel()
	for want, status := range map[string]object{
		"rolled out":                              {"observedGeneration": 1, "replicas": 3, "updatedReplicas": 3, "availableReplicas": 3, "readyReplicas": 3},
		"the last change is not taken up yet":     {"observedGeneration": 0},
		"rolling out":                             {"observedGeneration": 1, "updatedReplicas": 1},
		"old pods are ending":                     {"observedGeneration": 1, "replicas": 4, "updatedReplicas": 3},
		"waiting for pods to be available":        {"observedGeneration": 1, "replicas": 3, "updatedReplicas": 3, "availableReplicas": 1},
		"its rollout is stuck: ProgressDeadline…": {"observedGeneration": 1, "conditions": []any{object{"type": "Progressing", "status": "False", "reason": "ProgressDeadline…"}}},
	} {
		a := newAPIServer(t)
		a.by("controller", object{"status": status})
		text := newWorld(t, a.client(t)).must("status deployment shop/payments", "op")
		if !strings.HasPrefix(text, "*shop/payments*: "+want+"\n") || !strings.Contains(text, "image     payments:1") {
			t.Errorf("%q, want %q", text, want)
		}
	}
}
