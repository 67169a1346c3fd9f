package external

import (
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"onceway.internal/test/controlplane/cluster"
)

// Query is what an autoscaler asks for.
type Query struct {
	Namespace string
	Metric    string            // as in the autoscaler, with "|" for "/"
	Labels    map[string]string // its selector's matchLabels
}

// Source answers with the metric's value now; false is no data. It is called from
// many goroutines.
type Source func(Query) (int64, bool)

const (
	group   = "external.metrics.k8s.io"
	version = "v1beta1"
	base    = "/apis/" + group + "/" + version
)

type object = map[string]any

// Serve registers the API with the cluster, waits until it is available there, and
// serves it until the test has ended.
func Serve(t testing.TB, c *cluster.Cluster, source Source) {
	t.Helper()
	const service, namespace = "external-metrics", "kube-system"
	config, err := c.ServerTLS(service + "." + namespace + ".svc")
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: handler(source), TLSConfig: config, ReadHeaderTimeout: 5 * time.Second}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = srv.ServeTLS(listener, "", "") // it ends by Close
	}()
	t.Cleanup(func() {
		srv.Close()
		<-served
	})
	c.Apply(t, namespace, registration(t, service, namespace, listener.Addr().(*net.TCPAddr).Port, c.CA))
	c.Kubectl(t, "wait", "--for=condition=Available", "--timeout=60s", "apiservice/"+version+"."+group)
}

// registration points the API at a port of this machine.
func registration(t testing.TB, service, namespace string, port int, ca []byte) string {
	t.Helper()
	list := object{"apiVersion": "v1", "kind": "List", "items": []object{
		{
			"apiVersion": "v1", "kind": "Service", "metadata": object{"name": service, "namespace": namespace},
			"spec": object{"type": "ExternalName", "externalName": "localhost", "ports": []object{{"port": port}}},
		},
		{
			"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": object{"name": version + "." + group},
			"spec": object{
				"group": group, "version": version, "groupPriorityMinimum": 100, "versionPriority": 100,
				"service": object{"name": service, "namespace": namespace, "port": port}, "caBundle": ca,
			},
		},
	}}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func handler(source Source) http.Handler {
	known := object{"groupVersion": group + "/" + version, "version": version}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /apis/"+group, answer(object{
		"kind": "APIGroup", "apiVersion": "v1", "name": group, "versions": []object{known}, "preferredVersion": known,
	}))
	mux.HandleFunc("GET "+base, answer(object{
		"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group + "/" + version,
		"resources": []object{{"name": "externalmetrics", "singularName": "", "namespaced": true, "kind": "ExternalMetricValueList", "verbs": []string{"get"}}},
	}))
	mux.HandleFunc("GET "+base+"/namespaces/{namespace}/{metric}", func(w http.ResponseWriter, r *http.Request) {
		q := Query{r.PathValue("namespace"), r.PathValue("metric"), labels(r.URL.Query().Get("labelSelector"))}
		items := []object{}
		if value, ok := source(q); ok {
			items = append(items, object{
				"metricName": q.Metric, "metricLabels": object{}, "value": strconv.FormatInt(value, 10),
				"timestamp": time.Now().UTC().Format(time.RFC3339),
			})
		}
		answer(object{"kind": "ExternalMetricValueList", "apiVersion": group + "/" + version, "metadata": object{}, "items": items})(w, r)
	})
	return mux
}

// labels reads a selector of equalities; anything else matches no source.
func labels(selector string) map[string]string {
	found := make(map[string]string)
	for term := range strings.SplitSeq(selector, ",") {
		name, value, _ := strings.Cut(term, "=")
		found[name] = value
	}
	return found
}

func answer(o object) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(o) // whoever asked has left
	}
}
