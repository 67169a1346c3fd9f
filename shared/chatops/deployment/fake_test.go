package deployment_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"onceway.internal/shared/chatops/deployment"
)

type object = map[string]any

// apiServer stands in for Kubernetes' API as far as it is used: it keeps one
// Deployment with its ReplicaSets, checks the resourceVersion of a merge patch,
// counts generations, makes a ReplicaSet of every new template, and knows which
// manager changed our annotation last.
type apiServer struct {
	*httptest.Server

	mu      sync.Mutex
	object  object
	sets    []object
	version int
	patches int      // that took effect
	faults  []string // of the next patches: "lose" the answer after it, "lost" before it, or a status
	before  func()   // runs before a patch, under the lock
}

func newAPIServer(t *testing.T) *apiServer {
	t.Helper()
	a := &apiServer{object: object{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": object{
			"name": "payments", "namespace": "shop", "uid": "uid-1", "generation": 1,
			"creationTimestamp": "2026-01-01T00:00:00Z", "annotations": object{"team": "pay"},
		},
		"spec": object{
			"replicas": 3, "selector": object{"matchLabels": object{"app": "payments"}},
			"template": template("payments:1", object{"mode": "old"}),
		},
	}}
	a.touch("kubectl", nil, true)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /apis/apps/v1/namespaces/shop/deployments/payments", func(w http.ResponseWriter, _ *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		answer(w, http.StatusOK, a.object)
	})
	mux.HandleFunc("PATCH /apis/apps/v1/namespaces/shop/deployments/payments", a.patch)
	mux.HandleFunc("GET /apis/apps/v1/namespaces/shop/replicasets", func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		if r.URL.Query().Get("labelSelector") != "app=payments" {
			answer(w, http.StatusBadRequest, object{"kind": "Status", "reason": "BadRequest"})
			return
		}
		answer(w, http.StatusOK, object{"kind": "ReplicaSetList", "items": a.sets})
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusNotFound, object{"kind": "Status", "reason": "NotFound"})
	})
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

func template(image string, annotations object) object {
	return object{
		"metadata": object{"labels": object{"app": "payments"}, "annotations": annotations},
		"spec":     object{"containers": []any{object{"name": "main", "image": image, "resources": object{}}}},
	}
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (a *apiServer) patch(w http.ResponseWriter, r *http.Request) {
	var change object
	if r.Header.Get("Content-Type") != "application/merge-patch+json" || json.NewDecoder(r.Body).Decode(&change) != nil {
		answer(w, http.StatusUnsupportedMediaType, object{"kind": "Status"})
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.before != nil {
		a.before()
	}
	fault := ""
	if len(a.faults) > 0 {
		fault, a.faults = a.faults[0], a.faults[1:]
	}
	if status, err := strconv.Atoi(fault); err == nil {
		answer(w, status, object{"kind": "Status", "reason": "Planned"})
		return
	}
	if fault == "lost" {
		panic(http.ErrAbortHandler)
	}
	meta := change["metadata"].(object)
	if meta["resourceVersion"] != a.object["metadata"].(object)["resourceVersion"] {
		answer(w, http.StatusConflict, object{"kind": "Status", "reason": "Conflict"})
		return
	}
	a.touch(r.URL.Query().Get("fieldManager"), change, false)
	a.patches++
	if fault == "lose" {
		panic(http.ErrAbortHandler)
	}
	answer(w, http.StatusOK, a.object)
}

// touch changes the Deployment as a manager, and lets the controller follow.
func (a *apiServer) touch(manager string, change object, first bool) {
	was := clone(a.object)
	a.object = merge(a.object, change).(object)
	meta := a.object["metadata"].(object)
	a.version++
	meta["resourceVersion"] = strconv.Itoa(a.version)
	if !first && !reflect.DeepEqual(was["spec"], clone(a.object)["spec"]) {
		meta["generation"] = clone(was)["metadata"].(object)["generation"].(float64) + 1
	}
	list := func(o object) any { return o["metadata"].(object)["annotations"].(object)[deployment.Annotation] }
	if list(was) != list(a.object) {
		meta["managedFields"] = []any{object{
			"manager": manager, "operation": "Update",
			"fieldsV1": object{"f:metadata": object{"f:annotations": object{"f:" + deployment.Annotation: object{}}}},
		}}
	}
	a.reconcile()
}

// reconcile makes the ReplicaSet of the template the newest, and copies the
// annotations to it, as the Deployment's controller does.
func (a *apiServer) reconcile() {
	o := clone(a.object)
	want := o["spec"].(object)["template"].(object)
	newest := len(a.sets) + 1
	var mine object
	for _, rs := range a.sets {
		t := clone(rs)["spec"].(object)["template"].(object)
		delete(t["metadata"].(object)["labels"].(object), "pod-template-hash")
		if n, _ := strconv.Atoi(rs["metadata"].(object)["annotations"].(object)["deployment.kubernetes.io/revision"].(string)); n >= newest {
			newest = n + 1
		}
		if reflect.DeepEqual(t, want) {
			mine = rs
		}
	}
	if mine == nil {
		want["metadata"].(object)["labels"].(object)["pod-template-hash"] = fmt.Sprint("h", newest)
		mine = object{
			"metadata": object{
				"name": fmt.Sprint("payments-h", newest), "namespace": "shop", "annotations": object{},
				"ownerReferences": []any{object{"kind": "Deployment", "name": "payments", "uid": "uid-1", "controller": true}},
			},
			"spec": object{"template": want},
		}
		a.sets = append(a.sets, mine)
	} else if a.current() == mine["metadata"].(object)["name"] {
		newest = a.revision()
	}
	marks := mine["metadata"].(object)["annotations"].(object)
	for k, v := range o["metadata"].(object)["annotations"].(object) {
		if k != "deployment.kubernetes.io/revision" {
			marks[k] = v
		}
	}
	marks["deployment.kubernetes.io/revision"] = strconv.Itoa(newest)
	a.object["metadata"].(object)["annotations"].(object)["deployment.kubernetes.io/revision"] = strconv.Itoa(newest)
}

func (a *apiServer) revision() int {
	text, _ := a.object["metadata"].(object)["annotations"].(object)["deployment.kubernetes.io/revision"].(string)
	n, _ := strconv.Atoi(text)
	return n
}

// current is the name of the ReplicaSet with the Deployment's revision.
func (a *apiServer) current() any {
	for _, rs := range a.sets {
		m := rs["metadata"].(object)
		if m["annotations"].(object)["deployment.kubernetes.io/revision"] == strconv.Itoa(a.revision()) {
			return m["name"]
		}
	}
	return nil
}

// by changes the Deployment as somebody else does.
func (a *apiServer) by(manager string, change object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.touch(manager, change, false)
}

func (a *apiServer) at(path string) any {
	a.mu.Lock()
	defer a.mu.Unlock()
	var v any = clone(a.object)
	for _, k := range strings.Split(path, "|") {
		o, ok := v.(object)
		if !ok {
			return nil
		}
		v = o[k]
	}
	return v
}

func (a *apiServer) client(t *testing.T) *deployment.Client {
	t.Helper()
	u, err := url.Parse(a.URL)
	if err != nil {
		t.Fatal(err)
	}
	c, err := deployment.NewClient(u, a.Client())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// merge is RFC 7386.
func merge(target, change any) any {
	c, ok := change.(object)
	if !ok {
		if change == nil {
			return target
		}
		return change
	}
	t, ok := target.(object)
	if !ok {
		t = object{}
	}
	for k, v := range c {
		if v == nil {
			delete(t, k)
			continue
		}
		t[k] = merge(t[k], v)
	}
	return t
}

func clone(o object) object {
	data, _ := json.Marshal(o)
	var c object
	_ = json.Unmarshal(data, &c)
	return c
}
