package standin

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// policy keeps IAM policies at PATH:policy.
func (s *Server) policy(r request) (int, any) {
	path := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(r.path, ":getIamPolicy"), ":setIamPolicy"), "/iam")
	path = strings.Replace(path, "projects/-/serviceAccounts", "projects/"+s.Project+"/serviceAccounts", 1)
	key := path + ":policy"
	set := strings.HasSuffix(r.path, ":setIamPolicy") || r.method == http.MethodPut
	if set {
		p, ok := r.body["policy"].(Doc)
		if !ok {
			p = r.body
		}
		s.serial++
		p = clone(p)
		p["etag"] = "ZXRhZw=="
		s.docs[key] = p
	}
	if s.docs[key] == nil {
		return http.StatusOK, Doc{"etag": "ZXRhZw==", "version": 1}
	}
	return http.StatusOK, s.docs[key]
}

// Grant adds a member to a policy, Revoke takes one away, as somebody else would.
func (s *Server) Grant(path, role, member string) {
	s.Edit(path+":policy", func(p Doc) {
		b, _ := p["bindings"].([]any)
		p["bindings"] = append(b, Doc{"role": role, "members": []any{member}})
		p["etag"] = "ZXRhZw=="
	})
}

// Revoke takes a member's role away.
func (s *Server) Revoke(path, role, member string) {
	s.Edit(path+":policy", func(p Doc) {
		b, _ := p["bindings"].([]any)
		for _, x := range b {
			if d, ok := x.(Doc); ok && d["role"] == role {
				members, _ := d["members"].([]any)
				d["members"] = slices.DeleteFunc(slices.Clone(members), func(m any) bool { return m == member })
			}
		}
	})
}

func (s *Server) enabling(r request) (int, any) {
	under := "projects/" + s.Project + "/services"
	enable := func(name string) {
		s.docs[under+"/"+name] = Doc{"name": under + "/" + name, "state": "ENABLED", "config": Doc{"name": name}, "parent": "projects/" + s.Number}
	}
	switch {
	case strings.HasSuffix(r.path, ":batchEnable"):
		ids, _ := r.body["serviceIds"].([]any)
		for _, id := range ids {
			enable(fmt.Sprint(id))
		}
		return http.StatusOK, Doc{"name": "operations/op1", "done": true, "response": Doc{}}
	case strings.HasSuffix(r.path, ":enable"):
		enable(strings.TrimSuffix(strings.TrimPrefix(r.path, under+"/"), ":enable"))
		return http.StatusOK, done(r.path)
	case strings.HasSuffix(r.path, ":generateServiceIdentity"):
		return http.StatusOK, Doc{"name": "operations/op1", "done": true, "response": Doc{"email": "service-" + s.Number + "@gcp-sa-pubsub.iam.gserviceaccount.com"}}
	case r.path == under:
		var all []any
		for _, p := range slices.Sorted(maps.Keys(s.docs)) {
			if strings.HasPrefix(p, under+"/") {
				all = append(all, s.docs[p])
			}
		}
		return http.StatusOK, Doc{"services": all}
	}
	if d := s.docs[r.path]; d != nil {
		return http.StatusOK, d
	}
	return http.StatusOK, Doc{"name": r.path, "state": "DISABLED"}
}

// fields are Firestore's field settings; each side of a field is changed by itself.
func (s *Server) fields(r request) (int, any) {
	if strings.HasSuffix(r.path, "/fields") {
		want := "indexConfig"
		if strings.Contains(r.query.Get("filter"), "ttlConfig") {
			want = "ttlConfig"
		}
		base, _, _ := strings.Cut(r.path, "/collectionGroups/")
		var all []any
		for _, p := range slices.Sorted(maps.Keys(s.docs)) {
			if strings.HasPrefix(p, base+"/collectionGroups/") && s.docs[p][want] != nil {
				all = append(all, s.docs[p])
			}
		}
		return http.StatusOK, Doc{"fields": all}
	}
	if r.method != http.MethodPatch {
		return unknown(r)
	}
	have := s.docs[r.path]
	if have == nil {
		have = Doc{"name": r.path}
	}
	have = maps.Clone(have)
	if strings.Contains(r.query.Get("updateMask"), "ttlConfig") {
		have["ttlConfig"] = Doc{"state": "ACTIVE"}
	}
	if strings.Contains(r.query.Get("updateMask"), "indexConfig") {
		config, _ := r.body["indexConfig"].(Doc)
		if config == nil {
			config = Doc{}
		}
		have["indexConfig"] = config
	}
	s.docs[r.path] = have
	return http.StatusOK, done(r.path)
}

// run keeps Cloud Run services and makes every revision ready at once.
func (s *Server) run(r request) (int, any) {
	const collection = "/services"
	under := "namespaces/" + s.Project + collection
	if r.path == under && r.method == http.MethodGet {
		var all []any
		for _, p := range slices.Sorted(maps.Keys(s.docs)) {
			if strings.HasPrefix(p, under+"/") {
				all = append(all, s.docs[p])
			}
		}
		return http.StatusOK, Doc{"apiVersion": "serving.knative.dev/v1", "kind": "ServiceList", "metadata": Doc{}, "items": all}
	}
	if strings.Contains(r.path, "/revisions/") || !strings.HasPrefix(r.path, under) {
		return unknown(r)
	}
	switch r.method {
	case http.MethodGet:
		if d := s.docs[r.path]; d != nil {
			return http.StatusOK, d
		}
		return notFound(r.path)
	case http.MethodDelete:
		delete(s.docs, r.path)
		return http.StatusOK, Doc{"status": "Success"}
	case http.MethodPost, http.MethodPut:
		d := clone(r.body)
		meta, _ := d["metadata"].(Doc)
		name := fmt.Sprint(meta["name"])
		s.ready(d, meta, name)
		s.docs[under+"/"+name] = d
		return http.StatusOK, d
	}
	return unknown(r)
}

func (s *Server) ready(d, meta Doc, name string) {
	s.serial++
	meta["generation"], meta["resourceVersion"], meta["uid"], meta["namespace"] = s.serial, fmt.Sprint(s.serial), "u", s.Number
	spec, _ := d["spec"].(Doc)
	template, _ := spec["template"].(Doc)
	revision, _ := template["metadata"].(Doc)
	latest := fmt.Sprint(revision["name"])
	var traffic []any
	targets, _ := spec["traffic"].([]any)
	for _, t := range targets {
		target, _ := t.(Doc)
		target = maps.Clone(target)
		if target["latestRevision"] == true {
			target["revisionName"] = latest
		}
		if tag, ok := target["tag"].(string); ok {
			target["url"] = fmt.Sprintf("http://%s---%s.run.test", tag, name)
		}
		traffic = append(traffic, target)
	}
	conditions := []any{}
	for _, c := range []string{"Ready", "ConfigurationsReady", "RoutesReady"} {
		conditions = append(conditions, Doc{"type": c, "status": "True"})
	}
	d["status"] = Doc{
		"observedGeneration": s.serial, "latestReadyRevisionName": latest, "latestCreatedRevisionName": latest,
		"traffic": traffic, "conditions": conditions, "url": fmt.Sprintf("https://%s-%s.europe-west1.run.app", name, s.Number),
		"address": Doc{"url": fmt.Sprintf("https://%s-%s.europe-west1.run.app", name, s.Number)},
	}
}
