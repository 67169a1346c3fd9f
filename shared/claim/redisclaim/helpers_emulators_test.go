//go:build emulators

package redisclaim_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"onceway.internal/shared/claim/redisclaim"
	"onceway.internal/test/servers"
	"onceway.internal/test/wait"
)

func connect(t *testing.T, url string) redis.UniversalClient {
	t.Helper()
	client, err := redisclaim.Open(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func open(t *testing.T, client redis.UniversalClient, prefix string) *redisclaim.Store {
	t.Helper()
	s, err := redisclaim.New(client, prefix)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// start runs a server of this test's own.
func start(t *testing.T, args ...string) *servers.Server {
	t.Helper()
	s, err := servers.StartRedis(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// startCluster runs a cluster of this test's own.
func startCluster(t *testing.T, n int) (nodes []*servers.Server, url string) {
	t.Helper()
	nodes, url, err := servers.StartRedisCluster(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, s := range nodes {
			if err := s.Stop(); err != nil {
				t.Error(err)
			}
		}
	})
	return nodes, url
}

// await retries until a server that has just started can do it.
func await(t *testing.T, try func() error) {
	t.Helper()
	var err error
	defer func() {
		if err != nil {
			t.Log(err)
		}
	}()
	wait.Until(t, 10*time.Second, "the server", func() bool { err = try(); return err == nil })
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
