package rig

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Gauges are what a worker shows of itself.
type Gauges struct {
	Goroutines, Memory, Files float64 // Memory in bytes, resident; Files are open descriptors, connections included
}

// Keepers are the members that RollEach leaves alone: the first of each policy.
func (r *Rig) Keepers() []*Member {
	var keepers []*Member
	for p := range policies {
		keepers = append(keepers, r.members[p*r.setup.Replicas])
	}
	return keepers
}

// Name is policy and number.
func (m *Member) Name() string { return m.name }

// Gauges reads the member's /metrics.
func (m *Member) Gauges(ctx context.Context) (Gauges, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.url(), nil)
	if err != nil {
		return Gauges{}, fmt.Errorf("read metrics: %w", err)
	}
	request.Close = true // no connection that would count in what is measured
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return Gauges{}, fmt.Errorf("read metrics: %w", err)
	}
	defer response.Body.Close()
	var g Gauges
	found := 0
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		to := map[string]*float64{"go_goroutines": &g.Goroutines, "process_resident_memory_bytes": &g.Memory, "process_open_fds": &g.Files}[name]
		if to == nil {
			continue
		}
		if *to, err = strconv.ParseFloat(value, 64); err != nil {
			return Gauges{}, fmt.Errorf("read metric %s: %w", name, err)
		}
		found++
	}
	if err := lines.Err(); err != nil || found != 3 {
		return Gauges{}, fmt.Errorf("read metrics: %d of 3 are there: %w", found, err)
	}
	return g, nil
}
