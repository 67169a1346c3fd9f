//go:build deploy

package deploy_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"onceway.internal/test/deploy/standin"
)

type liveService struct {
	Status struct {
		Traffic []struct {
			RevisionName, Tag string
			Percent           int
		}
	}
}

type liveSubscription struct {
	Topic              string
	AckDeadlineSeconds int
	PushConfig         struct {
		PushEndpoint string
		OIDCToken    *struct{ ServiceAccountEmail, Audience string }
	}
}

// fetch reads from the stand-in, or from the emulator behind it.
func (w *world) fetch(path string, to any) {
	w.t.Helper()
	res, err := http.Get(w.cloud.HTTP.URL + path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(to); err != nil || res.StatusCode != http.StatusOK {
		w.t.Fatalf("read %s: %s, %v", path, res.Status, err)
	}
}

func (w *world) service(name string) liveService {
	w.t.Helper()
	var s liveService
	w.fetch("/apis/serving.knative.dev/v1/namespaces/"+project+"/services/"+name, &s)
	return s
}

func (w *world) serving(name string) string {
	w.t.Helper()
	for _, t := range w.service(name).Status.Traffic {
		if t.Percent == 100 {
			return t.RevisionName
		}
	}
	return ""
}

func (w *world) tagged(name, tag string) string {
	w.t.Helper()
	for _, t := range w.service(name).Status.Traffic {
		if t.Tag == tag {
			return t.RevisionName
		}
	}
	return ""
}

func (w *world) subscription(name string) liveSubscription {
	w.t.Helper()
	var s liveSubscription
	w.fetch("/v1/"+name, &s)
	return s
}

// patch changes a subscription as somebody else would.
func (w *world) patch(name, mask string, fields standin.Doc) {
	w.t.Helper()
	fields["name"] = name
	body, err := json.Marshal(map[string]any{"subscription": fields, "updateMask": mask})
	if err != nil {
		w.t.Fatal(err)
	}
	w.send(http.MethodPatch, name, body)
}

// send sends a request to the stand-in, or the emulator behind it.
func (w *world) send(method, path string, body []byte) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.cloud.HTTP.URL+"/v1/"+path, bytes.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, _ := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK {
		w.t.Fatalf("%s %s: %s: %s", method, path, res.Status, answer)
	}
}
