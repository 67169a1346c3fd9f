package servers

import (
	"context"
	"fmt"
	"strconv"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// WarmFirestore has the Firestore emulator at addr compile its code: its first writes
// take seconds, more than a store's time-out allows. What it writes is a collection
// of its own, named warm.
func WarmFirestore(ctx context.Context, addr, project string) error {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("warm the Firestore emulator: %w", err)
	}
	client, err := firestore.NewClient(ctx, project, option.WithGRPCConn(conn))
	if err != nil {
		return fmt.Errorf("warm the Firestore emulator: %w", err)
	}
	defer client.Close()
	for i := range 200 {
		if _, err := client.Collection("warm").Doc(strconv.Itoa(i)).Create(ctx, map[string]int{"n": i}); err != nil {
			return fmt.Errorf("warm the Firestore emulator: %w", err)
		}
	}
	return nil
}
