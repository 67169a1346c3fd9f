package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const slots = 16384 // of every cluster

// StartRedisCluster starts a cluster of n servers, each the master of its share of the
// slots. The URL is what clients of a cluster take; stop every server.
// args go to each, as with StartRedis.
func StartRedisCluster(ctx context.Context, n int, args ...string) (_ []*Server, clusterURL string, err error) {
	var nodes []*Server
	defer func() {
		if err != nil {
			err = fmt.Errorf("start a Redis cluster: %w", err)
			for _, s := range nodes {
				err = errors.Join(err, s.Stop())
			}
		}
	}()
	addrs := url.Values{}
	for range n {
		bus, err := freePort() // by itself it is 10,000 more than the port, which may be too high
		if err != nil {
			return nil, "", err
		}
		s, err := StartRedis(ctx, append([]string{"--cluster-enabled", "yes", "--cluster-port", bus}, args...)...)
		if err != nil {
			return nil, "", err
		}
		nodes = append(nodes, s)
		addrs.Add("addr", s.Addr)
		if err := meet(ctx, nodes, bus, n); err != nil {
			return nil, "", err
		}
	}
	for _, s := range nodes {
		if err := agreed(ctx, s, n); err != nil {
			return nil, "", err
		}
	}
	return nodes, "redis://" + nodes[0].Addr + "?" + addrs.Encode(), nil
}

// meet gives the newest node its slots and makes it known to the first.
func meet(ctx context.Context, nodes []*Server, bus string, of int) error {
	i := len(nodes) - 1
	newest := redis.NewClient(&redis.Options{Addr: nodes[i].Addr})
	defer newest.Close()
	if err := newest.Do(ctx, "CLUSTER", "ADDSLOTSRANGE", i*slots/of, (i+1)*slots/of-1).Err(); err != nil {
		return fmt.Errorf("give out slots: %w", err)
	}
	if i == 0 {
		return nil
	}
	first := redis.NewClient(&redis.Options{Addr: nodes[0].Addr})
	defer first.Close()
	host, port, err := net.SplitHostPort(nodes[i].Addr)
	if err != nil {
		return err
	}
	// Two nodes with one epoch would have to find that out before they agree.
	if err := newest.Do(ctx, "CLUSTER", "SET-CONFIG-EPOCH", i+1).Err(); err != nil {
		return fmt.Errorf("number a node: %w", err)
	}
	if err := first.Do(ctx, "CLUSTER", "MEET", host, port, bus).Err(); err != nil {
		return fmt.Errorf("introduce a node: %w", err)
	}
	return nil
}

// agreed waits until a node knows all the others, and every slot's master.
func agreed(ctx context.Context, s *Server, n int) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	client := redis.NewClient(&redis.Options{Addr: s.Addr})
	defer client.Close()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		info, err := client.ClusterInfo(ctx).Result()
		if err == nil && strings.Contains(info, "cluster_state:ok") && strings.Contains(info, fmt.Sprintf("cluster_size:%d\r", n)) {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(errors.New("its nodes did not agree: "+info), err, ctx.Err())
		case <-tick.C:
		}
	}
}
