package standin

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// family says how resources of one collection behave.
type family struct {
	collection string // last part of the collection's path
	idParam    string // query parameter that names a new one; "" takes idField
	idField    string // field that names a new one; "" makes up a number
	wrapped    string // field of the request that holds the resource
	listed     string // field of a list's answer; the collection where empty
	operation  bool   // creation answers with a finished operation
}

var families = []family{
	{collection: "serviceAccounts", idField: "accountId", wrapped: "serviceAccount", listed: "accounts"},
	{collection: "repositories", idParam: "repositoryId", operation: true},
	{collection: "o", listed: "items"}, // nothing is ever in a bucket
	{collection: "managedFolders", listed: "items"},
	{collection: "b", idField: "name", listed: "items"},
	{collection: "databases", idParam: "databaseId", operation: true},
	{collection: "topics"},
	{collection: "subscriptions"},
	{collection: "jobs", idField: "name"},
	{collection: "metrics", idField: "name"},
	{collection: "dashboards"},
	{collection: "alertPolicies"},
	{collection: "builds"},
}

func (s *Server) answer(r request) (int, any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case strings.HasSuffix(r.path, "IamPolicy") || strings.HasSuffix(r.path, "/iam"):
		return s.policy(r)
	case strings.Contains(r.path, "/operations/") || strings.HasPrefix(r.path, "operations/"):
		return http.StatusOK, done(r.path)
	case strings.HasPrefix(r.path, "namespaces/"):
		return s.run(r)
	case strings.HasPrefix(r.path, "projects/"+s.Project+"/services"):
		return s.enabling(r)
	case r.path == "projects/"+s.Project:
		return http.StatusOK, Doc{"projectId": s.Project, "projectNumber": s.Number, "lifecycleState": "ACTIVE", "name": s.Project}
	case strings.Contains(r.path, "/collectionGroups/"):
		return s.fields(r)
	case strings.HasSuffix(r.path, "/storageLayout"):
		return http.StatusOK, Doc{"kind": "storage#storageLayout", "hierarchicalNamespace": Doc{"enabled": false}}
	case strings.HasSuffix(r.path, "/timeSeries"):
		return http.StatusOK, s.docs[r.path]
	}
	for _, f := range families {
		if parent, ok := strings.CutSuffix(r.path, "/"+f.collection); ok || r.path == f.collection {
			return s.collection(f, parent, r)
		}
		if i := strings.LastIndex(r.path, "/"+f.collection+"/"); i >= 0 || strings.HasPrefix(r.path, f.collection+"/") {
			return s.resource(f, r)
		}
	}
	return unknown(r)
}

// done is an operation that ended already, named as an operation of the path's parent.
func done(path string) Doc {
	name := path
	if !strings.Contains(path, "operations/") {
		parts := strings.Split(path, "/")
		name = strings.Join(parts[:min(4, len(parts)&^1)], "/") + "/operations/op1"
	}
	return Doc{"name": name, "done": true, "response": Doc{}}
}

func (s *Server) collection(f family, parent string, r request) (int, any) {
	if r.method == http.MethodGet {
		return http.StatusOK, s.list(f, r.path)
	}
	d := r.body
	if f.wrapped != "" {
		d, _ = r.body[f.wrapped].(Doc)
	}
	id := r.query.Get(f.idParam)
	if f.idField != "" {
		id, _ = r.body[f.idField].(string)
	}
	if id == "" {
		s.serial++
		id = fmt.Sprint(s.serial)
	}
	path := r.path + "/" + id[strings.LastIndexByte(id, '/')+1:]
	if f.collection == "metrics" {
		path = r.path + "/" + id // its names have slashes
	}
	if s.docs[path] != nil {
		return conflict(path)
	}
	d = maps.Clone(d)
	s.complete(f, path, parent, d)
	s.docs[path] = d
	if f.operation {
		return http.StatusOK, done(r.path)
	}
	return http.StatusOK, d
}

// complete adds what Google adds.
func (s *Server) complete(f family, path, _ string, d Doc) {
	switch f.collection {
	case "b":
		d["id"], d["kind"] = d["name"], "storage#bucket"
	case "metrics":
	case "serviceAccounts":
		email := path[strings.LastIndexByte(path, '/')+1:] + "@" + s.Project + ".iam.gserviceaccount.com"
		d["email"], d["name"], d["projectId"], d["uniqueId"] = email, "projects/"+s.Project+"/serviceAccounts/"+email, s.Project, "1"
	case "jobs":
		d["state"] = "ENABLED"
	default:
		d["name"] = path
	}
	if f.collection == "dashboards" {
		d["name"], d["etag"] = strings.Replace(path, s.Project, s.Number, 1), "e1"
	}
}

func (s *Server) list(f family, path string) Doc {
	var items []any
	for _, p := range slices.Sorted(maps.Keys(s.docs)) {
		rest, ok := strings.CutPrefix(p, path+"/")
		if ok && (!strings.Contains(rest, "/") || f.collection == "metrics") {
			items = append(items, s.docs[p])
		}
	}
	field := f.listed
	if field == "" {
		field = f.collection
	}
	return Doc{field: items}
}

func (s *Server) resource(f family, r request) (int, any) {
	path := r.path
	if f.collection == "dashboards" {
		path = strings.Replace(path, "projects/"+s.Number, "projects/"+s.Project, 1)
	}
	if f.collection == "serviceAccounts" {
		path, _, _ = strings.Cut(path, "@")
		path = strings.Replace(path, "projects/-/", "projects/"+s.Project+"/", 1)
	}
	if f.collection == "metrics" {
		path = strings.ReplaceAll(path, "%2F", "/") // the client escapes the slashes in their names twice
	}
	have := s.docs[path]
	switch r.method {
	case http.MethodGet:
		if have == nil {
			return notFound(path)
		}
		return http.StatusOK, have
	case http.MethodDelete:
		if have == nil {
			return notFound(path)
		}
		delete(s.docs, path)
		if f.operation {
			return http.StatusOK, done(r.path)
		}
		return http.StatusOK, Doc{}
	case http.MethodPut:
		if have == nil && f.collection != "topics" && f.collection != "subscriptions" {
			return notFound(path)
		}
		if have != nil && f.collection != "metrics" {
			return conflict(path)
		}
		s.docs[path] = r.body
		return http.StatusOK, r.body
	case http.MethodPatch:
		if have == nil {
			return notFound(path)
		}
		return http.StatusOK, s.patch(f, path, r)
	}
	return unknown(r)
}

// patch merges what the mask names, as it is in the request: nested masks replace the
// field that they begin in.
func (s *Server) patch(f family, path string, r request) Doc {
	body, mask := r.body, r.query.Get("updateMask")
	for _, inner := range []string{"topic", "subscription", "serviceAccount"} {
		if m, ok := body["updateMask"].(string); ok {
			if in, ok := body[inner].(Doc); ok {
				body, mask = in, m
				break
			}
		}
	}
	have := maps.Clone(s.docs[path])
	if mask == "" {
		maps.Copy(have, body)
	}
	for _, field := range strings.FieldsFunc(mask, func(r rune) bool { return r == ',' }) {
		name, _, _ := strings.Cut(field, ".")
		if v, ok := body[name]; ok {
			have[name] = v
		} else {
			delete(have, name)
		}
	}
	if f.collection == "databases" {
		s.docs[path] = have
		return done(path)
	}
	s.docs[path] = have
	return have
}

func clone(d Doc) Doc {
	b, _ := json.Marshal(d) // it was JSON
	var c Doc
	_ = json.Unmarshal(b, &c) // it was JSON
	return c
}
