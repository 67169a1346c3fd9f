package redisclaim

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/redis/go-redis/v9"

	"onceway.internal/shared/claim"
)

// Open returns a client for a URL such as rediss://user:password@host:6379/0.
// The scheme rediss means TLS. One or more parameters addr=host:port make it a
// cluster's client. It does no I/O; the caller closes the client.
func Open(rawURL string) (redis.UniversalClient, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, fmt.Errorf("open Redis: %w: the URL can't be parsed", claim.ErrUnusable) // the cause would print the password
	}
	if u.Query().Has("addr") {
		opts, err := redis.ParseClusterURL(rawURL)
		if err != nil {
			return nil, fmt.Errorf("open Redis cluster: %w: %w", claim.ErrUnusable, err)
		}
		opts.ContextTimeoutEnabled = true
		return redis.NewClusterClient(opts), nil
	}
	opts, err := redis.ParseURL(rawURL)
	if err != nil {
		return nil, fmt.Errorf("open Redis: %w: %w", claim.ErrUnusable, err)
	}
	opts.ContextTimeoutEnabled = true
	return redis.NewClient(opts), nil
}

// lasting marks what the server refuses for good.
func lasting(err error) error {
	for _, prefix := range []string{"NOAUTH", "WRONGPASS", "NOPERM", "AUTH", "DB index"} {
		if redis.HasErrorPrefix(err, prefix) {
			return fmt.Errorf("%w: %w", claim.ErrUnusable, err)
		}
	}
	return err
}

// EvictionPolicy reads maxmemory-policy. Anything but "noeviction" can forget
// claims. In a cluster whose nodes differ it is the policy of one that evicts.
func EvictionPolicy(ctx context.Context, client redis.UniversalClient) (string, error) {
	cluster, ok := client.(*redis.ClusterClient)
	if !ok {
		return evictionPolicy(ctx, client)
	}
	policies := make(chan string, 1000) // the nodes of the largest cluster
	err := cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
		p, err := evictionPolicy(ctx, node)
		policies <- p
		return err
	})
	if err != nil {
		return "", err
	}
	close(policies)
	found := ""
	for p := range policies {
		if found == "" || p != "noeviction" {
			found = p
		}
	}
	return found, nil
}

// evictionPolicy asks INFO, since hosted servers often refuse CONFIG.
func evictionPolicy(ctx context.Context, client redis.Cmdable) (string, error) {
	info, err := client.Info(ctx, "memory").Result()
	if err != nil {
		return "", fmt.Errorf("read eviction policy: %w", err)
	}
	for line := range strings.Lines(info) {
		if p, ok := strings.CutPrefix(strings.TrimSpace(line), "maxmemory_policy:"); ok {
			return p, nil
		}
	}
	return "", errors.New("read eviction policy: the server doesn't tell")
}
