package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"onceway.internal/shared/claim"
	"onceway.internal/shared/claim/firestoreclaim"
	"onceway.internal/shared/claim/memclaim"
	"onceway.internal/shared/claim/pgclaim"
	"onceway.internal/shared/claim/redisclaim"
)

// backend opens one of the claim stores as the product does.
type backend struct {
	name    string
	network bool
	open    func(ctx context.Context, e *env) (claim.Store, io.Closer, error)
}

var backends = []backend{
	{"memory", false, openMemory}, {"redis", true, openRedis}, {"postgres", true, openPostgres}, {"firestore", true, openFirestore},
}

// closer is a Close that something else is called.
type closer func() error

func (c closer) Close() error { return c() }

// openMemory has the default capacity.
func openMemory(context.Context, *env) (claim.Store, io.Closer, error) {
	s, err := memclaim.New(100_000, time.Now)
	return s, closer(func() error { return nil }), err
}

func openRedis(ctx context.Context, e *env) (claim.Store, io.Closer, error) {
	server, err := e.redis(ctx)
	if err != nil {
		return nil, nil, err
	}
	client, err := redisclaim.Open(server.URL)
	if err != nil {
		return nil, nil, err
	}
	s, err := redisclaim.New(client, "bench:")
	return s, client, err
}

func openPostgres(ctx context.Context, e *env) (claim.Store, io.Closer, error) {
	server, err := e.postgres(ctx)
	if err != nil {
		return nil, nil, err
	}
	pool, err := pgclaim.Open(ctx, server.URL)
	if err != nil {
		return nil, nil, err
	}
	s, err := pgclaim.New(ctx, pool)
	return s, closer(func() error { pool.Close(); return nil }), err
}

func openFirestore(ctx context.Context, e *env) (claim.Store, io.Closer, error) {
	server, err := e.firestore(ctx)
	if err != nil {
		return nil, nil, err
	}
	client, err := firestoreClient(ctx, server.Addr)
	if err != nil {
		return nil, nil, err
	}
	s, err := firestoreclaim.New(client, "bench-")
	return s, client, err
}

// firestoreClient is a client of the emulator at addr.
func firestoreClient(ctx context.Context, addr string) (*firestore.Client, error) {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, fmt.Errorf("connect to the Firestore emulator: %w", err)
	}
	return firestore.NewClient(ctx, project, option.WithGRPCConn(conn))
}
