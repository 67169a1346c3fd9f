//go:build controlplane

package controlplane

import (
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"cloud.google.com/go/pubsub/v2"
)

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func addr2url(addr string) string { return "http://" + addr }

// answers reports whether a GET of url answers 200.
func answers(t *testing.T, url string) bool {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK
}

func publishOne(t *testing.T, p *pubsub.Publisher) {
	t.Helper()
	publish(t, p, 0, 1, new(atomic.Int64))
}
