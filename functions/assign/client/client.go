package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"onceway.internal/shared/route"
)

// Config of a Client.
type Config struct {
	URL          string        // of the service, without a path
	HTTP         *http.Client  // brings the caller's identity, where the service wants one
	DefaultTopic string        // full name; used when nothing is known
	Timeout      time.Duration // of one attempt; there are two
	Now          func() time.Time
	Rand         func() float64 // from [0, 1); called by one goroutine at a time
}

// Client is safe for concurrent use.
type Client struct {
	cfg Config

	mu       sync.Mutex
	rotation *route.Rotation
	known    *known
	fetched  time.Time // when known was last asked for
}

// maxAnswer bounds what is read of an answer.
const maxAnswer = 4 << 20

// ErrNoGroup says that every group is closed to the customer.
var ErrNoGroup = errors.New("every group is closed to this customer")

// Problem is what the service refused with, by RFC 9457.
type Problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
}

func (p *Problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Detail) }

// Campaign is what has to be routed. Size 0 means not known.
type Campaign struct {
	ID       string `json:"campaign"`
	Customer string `json:"customer,omitempty"`
	Size     int64  `json:"size,omitempty"`
}

// Answer is where to publish.
type Answer struct {
	Group    string `json:"group"` // empty for the overflow and the default topic
	Topic    string `json:"topic"` // full name
	Rule     string `json:"rule"`  // a route.Rule
	Reason   string `json:"reason"`
	Recorded bool   `json:"recorded"`
	Repeated bool   `json:"repeated"`
}

// New returns a Client. It asks nothing yet.
func New(c Config) (*Client, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return nil, fmt.Errorf("assign client: %q is no URL of a service", c.URL)
	}
	if c.HTTP == nil || c.Now == nil || c.Rand == nil || c.Timeout <= 0 || c.DefaultTopic == "" {
		return nil, errors.New("assign client: needs an HTTP client, a clock, randomness, a time-out and a default topic")
	}
	c.URL = strings.TrimSuffix(c.URL, "/")
	return &Client{cfg: c, rotation: route.NewRotation()}, nil
}

// Assign answers where c's messages go. Errors: ErrNoGroup, a *Problem, the end of ctx.
func (c *Client) Assign(ctx context.Context, campaign Campaign) (Answer, error) {
	body, err := json.Marshal(campaign)
	if err != nil {
		return Answer{}, fmt.Errorf("encode campaign: %w", err)
	}
	var a Answer
	err = c.call(ctx, http.MethodPost, "/v1/assignments", body, &a)
	if err == nil {
		c.learn(ctx)
		return a, nil
	}
	var p *Problem
	switch {
	case ctx.Err() != nil:
		return Answer{}, ctx.Err()
	case errors.As(err, &p) && p.Code == "no-group":
		return Answer{}, fmt.Errorf("assign %s: %w", campaign.ID, ErrNoGroup)
	case errors.As(err, &p) && p.Status < 500 && p.Status != http.StatusTooManyRequests:
		return Answer{}, fmt.Errorf("assign %s: %w", campaign.ID, err)
	}
	return c.fallBack(campaign, err)
}

// Topic answers with one topic for a queue, drawn by the service, or with
// fallback while that does not answer.
func (c *Client) Topic(ctx context.Context, queue, fallback string) (Answer, error) {
	var r struct{ Drawn, Rule string }
	err := c.call(ctx, http.MethodGet, "/v1/recommendations/"+url.PathEscape(queue), nil, &r)
	var p *Problem
	switch {
	case err == nil:
		return Answer{Topic: r.Drawn, Rule: r.Rule}, nil
	case ctx.Err() != nil:
		return Answer{}, ctx.Err()
	case errors.As(err, &p) && p.Status < 500 && p.Status != http.StatusTooManyRequests:
		return Answer{}, fmt.Errorf("recommend %s: %w", queue, err)
	}
	return Answer{Topic: fallback, Rule: string(route.ByStateDownDefault), Reason: "the assignment service does not answer"}, nil
}

// call tries twice: every request may be repeated.
func (c *Client) call(ctx context.Context, method, path string, body []byte, to any) error {
	err := c.once(ctx, method, path, body, to)
	var p *Problem
	if err == nil || ctx.Err() != nil || errors.As(err, &p) && p.Status < 500 {
		return err
	}
	return c.once(ctx, method, path, body, to)
}

func (c *Client) once(ctx context.Context, method, path string, body []byte, to any) error {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.cfg.URL+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.cfg.HTTP.Do(req)
	if err != nil {
		return fmt.Errorf("ask the assignment service: %w", err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		p := &Problem{Title: res.Status}
		_ = json.Unmarshal(data, p) // something before the service may have answered, in a form of its own
		p.Status = res.StatusCode
		return p
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}
