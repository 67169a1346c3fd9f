//go:build emulators

package firestoreaudit_test

import (
	"strconv"
	"sync/atomic"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/shared/audit"
	"onceway.internal/shared/audit/audittest"
	"onceway.internal/shared/audit/firestoreaudit"
	"onceway.internal/test/servers"
)

func TestMain(m *testing.M) { servers.Main(m) }

func TestConformance(t *testing.T) {
	t.Parallel()
	conn, err := grpc.NewClient(servers.Firestore(t), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	client, err := firestore.NewClient(t.Context(), "demo-project", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	var opened atomic.Int64
	audittest.Run(t, func(t *testing.T) audit.Log {
		log, err := firestoreaudit.New(client, "audit-"+strconv.FormatInt(opened.Add(1), 10))
		if err != nil {
			t.Fatal(err)
		}
		return log
	})
}
