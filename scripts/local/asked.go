package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// standing is a group as the Assign API shows it.
type standing struct {
	Group       string  `json:"group"`
	Score       float64 `json:"score"`
	Data        string  `json:"data"`
	SampleAge   float64 `json:"sampleAgeSeconds"`
	Draining    bool    `json:"draining"`
	Reservation *struct {
		Customers []string `json:"customers"`
	} `json:"reservation"`
}

// verdict is why a campaign went where it went.
type verdict struct {
	Rule string    `json:"rule"`
	At   time.Time `json:"at"`
}

// asked talks to the Assign API, as other services do.
type asked struct {
	base   string
	client *http.Client
}

func (a asked) groups(ctx context.Context) ([]standing, error) {
	var answer struct {
		Groups []standing `json:"groups"`
	}
	err := a.call(ctx, http.MethodGet, "/v1/groups", nil, &answer)
	return answer.Groups, err
}

// about asks again for a campaign that was assigned: the answer is the one it got.
func (a asked) about(ctx context.Context, s sent) (verdict, error) {
	var v verdict
	err := a.call(ctx, http.MethodPost, "/v1/assignments", document(map[string]any{"campaign": s.name, "customer": s.customer, "size": s.size}), &v)
	return v, err
}

func (a asked) call(ctx context.Context, method, path string, body []byte, into any) error {
	request, err := http.NewRequestWithContext(ctx, method, a.base+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask Assign: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := a.client.Do(request)
	if err != nil {
		return fmt.Errorf("ask Assign: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("ask Assign: %s answered %s", path, response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		return fmt.Errorf("read Assign's answer: %w", err)
	}
	return nil
}
