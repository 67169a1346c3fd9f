//go:build controlplane

package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"onceway.internal/test/controlplane/cluster"
)

// moment is a Deployment at a time, and the backlog at it.
type moment struct {
	at                            time.Duration
	backlog                       int64
	wanted, pods, ready, ofNewest int
}

// timeline looks at a Deployment until its test ends, and keeps what changed.
type timeline struct {
	mu   sync.Mutex
	seen []moment
}

func watchDeployment(t *testing.T, c *cluster.Cluster, namespace, name string, backlog func() int64) *timeline {
	t.Helper()
	l, client, start := &timeline{}, c.HTTP(), time.Now()
	url := c.URL + "/apis/apps/v1/namespaces/" + namespace + "/deployments/" + name
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			if m, err := look(ctx, client, url); err == nil {
				m.at, m.backlog = time.Since(start), backlog()
				l.add(m)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return l
}

func look(ctx context.Context, client *http.Client, url string) (moment, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return moment{}, err
	}
	res, err := client.Do(req)
	if err != nil {
		return moment{}, err
	}
	defer res.Body.Close()
	var d struct {
		Spec   struct{ Replicas int }
		Status struct{ Replicas, ReadyReplicas, UpdatedReplicas int }
	}
	err = json.NewDecoder(res.Body).Decode(&d)
	return moment{wanted: d.Spec.Replicas, pods: d.Status.Replicas, ready: d.Status.ReadyReplicas, ofNewest: d.Status.UpdatedReplicas}, err
}

func (l *timeline) add(m moment) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, m)
}

func (l *timeline) now() moment {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen) == 0 {
		return moment{}
	}
	return l.seen[len(l.seen)-1]
}

// any reports whether there was a moment of that kind.
func (l *timeline) any(is func(moment) bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.seen {
		if is(m) {
			return true
		}
	}
	return false
}

// String is the moments at which the numbers of pods changed.
func (l *timeline) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%8s %8s %7s %5s %6s %10s\n", "seconds", "backlog", "wanted", "pods", "ready", "of newest")
	var last moment
	for i, m := range l.seen {
		if i == 0 || m.wanted != last.wanted || m.pods != last.pods || m.ready != last.ready || m.ofNewest != last.ofNewest {
			fmt.Fprintf(&b, "%8.1f %8d %7d %5d %6d %10d\n", m.at.Seconds(), m.backlog, m.wanted, m.pods, m.ready, m.ofNewest)
			last = m
		}
	}
	return b.String()
}
