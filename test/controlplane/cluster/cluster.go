package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"onceway.internal/test/servers"
)

// Cluster is a running control plane, and its administrator's way in.
type Cluster struct {
	Kubeconfig string // file with the administrator's access
	URL        string // "https://127.0.0.1:port"
	Token      string // the administrator's bearer token
	CA         []byte // PEM, what signed the API server's certificate

	dir     string
	ca      *authority
	servers []*servers.Server
}

// Start starts a control plane and kills it when the test has ended. Namespaces are
// there, default and kube-system among them.
func Start(t testing.TB) *Cluster {
	t.Helper()
	c, err := New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Errorf("stop control plane: %v", err)
		}
	})
	return c
}

// New starts a control plane; the caller stops it. ctx bounds the start alone.
func New(ctx context.Context) (*Cluster, error) {
	b, err := findBinaries()
	if err != nil {
		return nil, fmt.Errorf("start control plane: %w", err)
	}
	dir, err := os.MkdirTemp("", "onceway-controlplane-")
	if err != nil {
		return nil, fmt.Errorf("start control plane: %w", err)
	}
	c := &Cluster{dir: dir, Token: "administrator"}
	if err := c.start(ctx, b); err != nil {
		return nil, errors.Join(fmt.Errorf("start control plane: %w", err), c.Stop())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, b binaries) error {
	if err := c.writeCertificates(); err != nil {
		return err
	}
	etcd, err := c.run(ctx, servers.Command{Name: "etcd", Cmd: c.etcd(b.etcd), Ready: healthy(http.DefaultTransport, "http", "/health")})
	if err != nil {
		return err
	}
	api, err := c.run(ctx, servers.Command{
		Name: "kube-apiserver", Cmd: c.apiserver(b.apiserver, etcd.Addr), Ready: healthy(c.transport(c.Token), "https", "/readyz"),
	})
	if err != nil {
		return err
	}
	c.URL = "https://" + api.Addr
	if c.Kubeconfig, err = c.writeKubeconfig("admin", c.Token, "default"); err != nil {
		return err
	}
	_, err = c.run(ctx, servers.Command{
		Name: "kube-controller-manager", Cmd: c.controllers(b.controllers), Ready: healthy(c.transport(""), "https", "/healthz"),
	})
	return err
}

func (c *Cluster) run(ctx context.Context, cmd servers.Command) (*servers.Server, error) {
	s, err := servers.StartCommand(ctx, cmd)
	if err == nil {
		c.servers = append(c.servers, s)
	}
	return s, err
}

// Stop kills what was started, the newest first, and removes its files.
func (c *Cluster) Stop() error {
	var errs []error
	for _, s := range slices.Backward(c.servers) {
		errs = append(errs, s.Stop())
	}
	return errors.Join(append(errs, os.RemoveAll(c.dir))...)
}

// HTTP is a client for URL with the administrator's rights.
func (c *Cluster) HTTP() *http.Client { return &http.Client{Transport: c.transport(c.Token)} }

// file is the path of a file of this cluster.
func (c *Cluster) file(name string) string { return filepath.Join(c.dir, name) }

// transport keeps no idle connection, so that nothing of it outlives a request.
func (c *Cluster) transport(token string) http.RoundTripper {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(c.CA)
	return bearer{token, &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
}

type bearer struct {
	token string
	next  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.next.RoundTrip(r)
}

func healthy(via http.RoundTripper, scheme, path string) func(context.Context, string) error {
	return func(ctx context.Context, addr string) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+addr+path, nil)
		if err != nil {
			return err
		}
		req.Close = true
		res, err := via.RoundTrip(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answered %s", path, res.Status)
		}
		return nil
	}
}
