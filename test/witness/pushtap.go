package witness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
)

// PushTap stands between Pub/Sub and a function: it passes each push on, counts it,
// and can repeat some, as Pub/Sub may: the same body, with the same message ID.
type PushTap struct {
	target  func() string
	counts  *Deliveries
	repeat  func(event string) Repeat
	client  *http.Client
	running sync.WaitGroup
	ended   context.Context
	end     context.CancelFunc
}

// Repeat says how a delivery is repeated.
type Repeat int

// The ways to repeat a delivery.
const (
	NoRepeat Repeat = iota
	Beside          // at the same time
	After           // once the first was acknowledged
)

// NewPushTap passes on to the URL that target answers with at each push, and counts in
// counts. repeat decides for each delivery and may be nil. Close it.
func NewPushTap(target func() string, counts *Deliveries, repeat func(event string) Repeat) (*PushTap, error) {
	if target == nil || counts == nil {
		return nil, errors.New("push tap: target or counts are missing")
	}
	if repeat == nil {
		repeat = func(string) Repeat { return NoRepeat }
	}
	ended, end := context.WithCancel(context.Background())
	return &PushTap{target: target, counts: counts, repeat: repeat, ended: ended, end: end,
		client: &http.Client{
			Transport:     &http.Transport{MaxIdleConnsPerHost: 64},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}}, nil
}

// Close ends the repeats that are still in flight.
func (p *PushTap) Close() {
	p.end()
	p.running.Wait()
	p.client.CloseIdleConnections()
}

// ServeHTTP passes one push on. An unreachable function shows as 502, a nack.
func (p *PushTap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "can't read the push", http.StatusRequestEntityTooLarge)
		return
	}
	subscription, event := read(body)
	way := p.repeat(event)
	again := func() {
		p.counts.Count(subscription, event)
		if res, err := p.forward(p.ended, r, body); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
		}
	}
	if way == Beside {
		p.running.Go(again)
	}
	p.counts.Count(subscription, event)
	res, err := p.forward(r.Context(), r, body)
	if err != nil {
		http.Error(w, "the function can't be reached", http.StatusBadGateway)
		return
	}
	defer res.Body.Close()
	maps.Copy(w.Header(), res.Header)
	w.WriteHeader(res.StatusCode)
	_, _ = io.Copy(w, res.Body) // Pub/Sub is gone then
	if way == After && res.StatusCode < 300 {
		p.running.Go(again)
	}
}

func (p *PushTap) forward(ctx context.Context, r *http.Request, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, p.target(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	request.Header = r.Header.Clone()
	response, err := p.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("pass push on: %w", err)
	}
	return response, nil
}

// read finds out what a wrapped push is about.
func read(body []byte) (subscription, event string) {
	var push struct {
		Message struct {
			Attributes map[string]string `json:"attributes"`
			Data       []byte            `json:"data"`
		} `json:"message"`
		Subscription string `json:"subscription"`
	}
	if json.Unmarshal(body, &push) != nil {
		return "", ""
	}
	texts := append([]string{string(push.Message.Data)}, slices.Sorted(maps.Values(push.Message.Attributes))...)
	return push.Subscription, Identify(texts...)
}
