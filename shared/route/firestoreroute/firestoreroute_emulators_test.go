//go:build emulators

package firestoreroute_test

import (
	"crypto/rand"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/shared/groups"
	"onceway.internal/shared/groups/firestoregroups"
	"onceway.internal/shared/groups/groupstest"
	"onceway.internal/shared/route/firestoreroute"
	"onceway.internal/shared/route/routetest"
	"onceway.internal/test/servers"
)

func TestMain(m *testing.M) { servers.Main(m) }

func client(t *testing.T) *firestore.Client {
	t.Helper()
	conn, err := grpc.NewClient(servers.Firestore(t), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	c, err := firestore.NewClient(t.Context(), "demo-project", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func fresh(t *testing.T) routetest.Harness {
	t.Helper()
	c, prefix := client(t), rand.Text()+"-"
	live, err := firestoregroups.New(c, prefix)
	if err != nil {
		t.Fatal(err)
	}
	s, err := firestoreroute.New(c, firestoreroute.Config{Prefix: prefix, Shards: 4})
	if err != nil {
		t.Fatal(err)
	}
	return routetest.Harness{Route: s, Groups: live}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	routetest.Run(t, fresh)
}

func TestLiveStateConformance(t *testing.T) {
	t.Parallel()
	groupstest.Run(t, func(t *testing.T) groups.Store { return fresh(t).Groups })
}
