package deployment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// ErrNoCluster says that nothing names a cluster: not the target, and the process
// does not run in one.
var ErrNoCluster = errors.New("no Kubernetes cluster")

// Tokens gives the bearer token for a cluster outside. It blocks as long as a new
// token takes, and is safe for concurrent use.
type Tokens interface {
	Token(ctx context.Context) (string, error)
}

// Target says which cluster. The zero value is the one that the process runs in.
type Target struct {
	// Kubeconfig is a file; its current context is used.
	Kubeconfig string
	// Endpoint is a cluster's URL, as GKE has it, with Tokens for it (the service
	// account's own, of scope cloud-platform). CA is the cluster's certificate in
	// PEM; empty where the endpoint has a public one.
	Endpoint string
	CA       []byte
	Tokens   Tokens
}

// Client speaks to a cluster. Safe for concurrent use.
type Client struct {
	base *url.URL
	http *http.Client
}

// Connect makes a client. It calls nobody.
func Connect(t Target) (*Client, error) {
	c, err := t.config()
	if err != nil {
		return nil, err
	}
	c.UserAgent = "onceway"
	base, _, err := rest.DefaultServerUrlFor(c)
	if err != nil {
		return nil, fmt.Errorf("connect to cluster: %w", err)
	}
	h, err := rest.HTTPClientFor(c)
	if err != nil {
		return nil, fmt.Errorf("connect to cluster: %w", err)
	}
	return NewClient(base, h)
}

// NewClient makes a client of a server's URL and an HTTP client that knows how to
// get in.
func NewClient(base *url.URL, h *http.Client) (*Client, error) {
	if base == nil || base.Host == "" || h == nil {
		return nil, errors.New("connect to cluster: no URL or no HTTP client")
	}
	return &Client{base: base, http: h}, nil
}

func (t Target) config() (*rest.Config, error) {
	switch {
	case t.Kubeconfig != "" && t.Endpoint != "":
		return nil, errors.New("connect to cluster: a kubeconfig and an endpoint are given, one is enough")
	case t.Kubeconfig != "":
		c, err := clientcmd.BuildConfigFromFlags("", t.Kubeconfig)
		if err != nil {
			return nil, fmt.Errorf("read kubeconfig: %w", err)
		}
		return c, nil
	case t.Endpoint != "":
		u, err := url.Parse(t.Endpoint)
		if err != nil || u.Scheme != "https" || u.Host == "" || t.Tokens == nil {
			return nil, errors.New("connect to cluster: the endpoint must be an https URL, with tokens for it")
		}
		return &rest.Config{
			Host:            t.Endpoint,
			TLSClientConfig: rest.TLSClientConfig{CAData: t.CA},
			WrapTransport:   func(rt http.RoundTripper) http.RoundTripper { return bearer{rt, t.Tokens} },
		}, nil
	}
	c, err := rest.InClusterConfig()
	if errors.Is(err, rest.ErrNotInCluster) {
		return nil, ErrNoCluster
	}
	if err != nil {
		return nil, fmt.Errorf("connect to this cluster: %w", err)
	}
	return c, nil
}

type bearer struct {
	next   http.RoundTripper
	tokens Tokens
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	token, err := b.tokens.Token(r.Context())
	if err != nil {
		return nil, fmt.Errorf("get token for cluster: %w", err)
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return b.next.RoundTrip(r)
}
