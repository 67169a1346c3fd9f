//go:build soak

package soak_test

import (
	"net/url"
	"testing"

	"onceway.internal/test/servers"
	"onceway.internal/test/wire"
)

// store starts a store behind a proxy and answers with what workers need to find it.
type store func(t *testing.T) (*wire.Proxy, map[string]string)

var stores = map[string]store{
	"firestore": func(t *testing.T) (*wire.Proxy, map[string]string) {
		p := wire.New(t, servers.Firestore(t))
		return p, map[string]string{"ONCEWAY_CLAIMS": "firestore", "FIRESTORE_EMULATOR_HOST": p.Addr()}
	},
	"redis": func(t *testing.T) (*wire.Proxy, map[string]string) {
		p, u := behind(t, servers.Redis(t))
		return p, map[string]string{"ONCEWAY_CLAIMS": "redis", "ONCEWAY_REDIS_URL": u}
	},
	"postgres": func(t *testing.T) (*wire.Proxy, map[string]string) {
		p, u := behind(t, servers.Postgres(t))
		return p, map[string]string{"ONCEWAY_CLAIMS": "postgres", "ONCEWAY_POSTGRES_URL": u}
	},
}

// behind puts a proxy before a server and answers with the URL through it.
func behind(t *testing.T, server string) (*wire.Proxy, string) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	p := wire.New(t, u.Host)
	u.Host = p.Addr()
	return p, u.String()
}
