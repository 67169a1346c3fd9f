package main

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// schedule calls a function as Cloud Scheduler does, and remembers how it went.
type schedule struct {
	job, url string
	every    time.Duration
	after    time.Duration // before the first call

	mu           sync.Mutex
	runs, failed int
	first        time.Time // when the first successful run was answered
}

// run calls after a while and then each period, until ctx ends.
func (s *schedule) run(ctx context.Context) {
	client := &http.Client{Timeout: 10 * time.Second}
	wait := time.NewTimer(s.after)
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return
	case <-wait.C:
	}
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		s.note(s.call(ctx, client))
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (s *schedule) call(ctx context.Context, client *http.Client) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, nil)
	if err != nil {
		return false
	}
	request.Header.Set("X-CloudScheduler", "true")
	request.Header.Set("X-CloudScheduler-JobName", s.job)
	request.Header.Set("X-CloudScheduler-ScheduleTime", time.Now().UTC().Format(time.RFC3339))
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode == http.StatusOK
}

func (s *schedule) note(ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs++
	if !ok {
		s.failed++
	} else if s.first.IsZero() {
		s.first = time.Now()
	}
}

// state answers with the runs so far, how many failed, and when the first succeeded.
func (s *schedule) state() (runs, failed int, first time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs, s.failed, s.first
}
