package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Why something could not be read.
var (
	ErrNoEmulator = errors.New("there is no emulator of it")
	ErrDenied     = errors.New("may not be read")
	ErrNotFound   = errors.New("is not there")
)

// API is one of Google's.
type API string

// The APIs that are read.
const (
	PubSub     API = "pubsub"
	Run        API = "run"
	Scheduler  API = "cloudscheduler"
	Firestore  API = "firestore"
	Resources  API = "cloudresourcemanager"
	IAM        API = "iam"
	Monitoring API = "monitoring"
)

// Cloud reads Google's APIs. It is safe for concurrent use.
type Cloud struct {
	// HTTP sends requests; it adds the credentials.
	HTTP *http.Client
	// Bases are the URLs that an API's paths begin with; see Bases.
	Bases map[API]string
}

// Bases are the APIs' own addresses. With an emulator of Pub/Sub only that one is
// there: the others have none, and must not be asked about the real project.
func Bases(region, pubsubEmulator string) map[API]string {
	if pubsubEmulator != "" {
		return map[API]string{PubSub: "http://" + pubsubEmulator + "/v1/"}
	}
	return map[API]string{
		PubSub: "https://pubsub.googleapis.com/v1/", Run: "https://" + region + "-run.googleapis.com/",
		Scheduler: "https://cloudscheduler.googleapis.com/v1/", Firestore: "https://firestore.googleapis.com/v1/",
		Resources: "https://cloudresourcemanager.googleapis.com/v1/", IAM: "https://iam.googleapis.com/v1/",
		Monitoring: "https://monitoring.googleapis.com/v3/",
	}
}

// maxAnswer bounds an answer; lists of thousands of subscriptions come in pages.
const maxAnswer = 32 << 20

// Get reads one resource or page of a list.
func (c *Cloud) Get(ctx context.Context, api API, path string, query url.Values, to any) error {
	return c.call(ctx, http.MethodGet, api, path, query, to)
}

func (c *Cloud) call(ctx context.Context, method string, api API, path string, query url.Values, to any) error {
	base, ok := c.Bases[api]
	if !ok {
		return fmt.Errorf("%s: %w", api, ErrNoEmulator)
	}
	u := base + path
	if len(query) > 0 {
		u += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, u, http.NoBody)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	res, err := c.HTTP.Do(req)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%s: %w", path, ErrNotFound)
	case res.StatusCode == http.StatusForbidden || res.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("%s: %w", path, ErrDenied)
	case res.StatusCode/100 != 2:
		return fmt.Errorf("read %s: %s", path, res.Status)
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(to); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// list reads every page of a list.
func list[T any](ctx context.Context, c *Cloud, api API, path, field string, query url.Values) ([]T, error) {
	var all []T
	if query == nil {
		query = url.Values{}
	}
	for {
		var page map[string]json.RawMessage
		if err := c.Get(ctx, api, path, query, &page); err != nil {
			return nil, err
		}
		var items []T
		if raw := page[field]; len(raw) > 0 {
			if err := json.Unmarshal(raw, &items); err != nil {
				return nil, fmt.Errorf("read %s: %w", path, err)
			}
		}
		all = append(all, items...)
		next := strings.Trim(string(page["nextPageToken"]), `"`)
		if next == "" || next == "null" {
			return all, nil
		}
		query.Set("pageToken", next)
	}
}

// Policy is who has which role on a resource.
type Policy struct {
	Bindings []struct {
		Role    string
		Members []string
	}
}

// Has reports whether a member has a role.
func (p Policy) Has(role, member string) bool {
	for _, b := range p.Bindings {
		if b.Role != role {
			continue
		}
		for _, m := range b.Members {
			if m == member {
				return true
			}
		}
	}
	return false
}

// policy reads a resource's policy; some APIs want POST for it.
func (c *Cloud) policy(ctx context.Context, api API, resource string) (p Policy, err error) {
	method := http.MethodGet
	if api == IAM || api == Resources {
		method = http.MethodPost
	}
	return p, c.call(ctx, method, api, resource+":getIamPolicy", nil, &p)
}

// Number reads a project's number.
func (c *Cloud) Number(ctx context.Context, project string) (string, error) {
	var p struct{ ProjectNumber string }
	err := c.Get(ctx, Resources, "projects/"+project, nil, &p)
	return p.ProjectNumber, err
}
